import { Command, Option } from 'commander'
import type { BulkOptions } from '../bulk/bulk.ts'
import { readCount, readEncoding, readVariable } from '../options.ts'

export function bulkCommand(): Command {
  return new Command('bulk')
    .description('Render one project once for each row of a CSV file.')
    .argument('<file>', 'project, or render request {payload, variables, overrides}, as JSON')
    .requiredOption('--csv <rows>', 'a CSV file whose first row names variables')
    .option(
      '--encoding <label>',
      'encoding of the CSV file: windows-1252, shift_jis…',
      readEncoding,
    )
    .option('-o, --output <dir>', 'output folder (default: the name of the CSV file)')
    .option('--name <name>', 'name of the bulk (default: the name of the CSV file)')
    .addOption(
      new Option('--results <format>', 'format of the report on all rows')
        .choices(['csv', 'json'])
        .default('csv'),
    )
    .option('--var <name=value>', 'set a variable for all rows', readVariable)
    .option('--workers <n>', 'worker processes of the farm that it starts', readCount, 1)
    .option('--data <dir>', 'data folder of that farm (default: .farm/render in the checkout)')
    .addHelpText(
      'after',
      `
A column "person.name" sets a part of the variable "person". A cell is text, unless the default value
of the variable is a number, a flag, an array or an object. Then the cell is read as the same type,
and an empty cell keeps the default. The column "name" is optional and also names the file of the row.
The file is UTF-8 or UTF-16, with commas, semicolons or tabs. Any other encoding is refused unless
--encoding names it: Excel's plain "CSV" is windows-1252 in Western Europe and the Americas.
Writes one file for each row and results.csv or results.json. Exits with code 1 when a row has no file.

Uses the farm at FARM_URL with FARM_API_KEY when both are set. Otherwise starts a farm of its own.`,
    )
    .action(async (file: string, options: Omit<BulkOptions, 'file'>) => {
      const { renderBulk } = await import('../bulk/bulk.ts')
      await renderBulk({ file, ...options })
    })
}
