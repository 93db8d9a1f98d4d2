import { Command, Option } from 'commander'
import type { BulkOptions } from '../bulk/bulk.ts'
import { readCount, readEncoding, readVariable } from '../options.ts'

export function bulkCommand(): Command {
  return new Command('bulk')
    .description('Render one project once for each row of a CSV file.')
    .argument('<file>', 'a project, or a render request {payload, variables, overrides}, as JSON')
    .requiredOption('--csv <rows>', 'a CSV file whose first row names variables')
    .option('--encoding <label>', 'of the CSV file: windows-1252, shift_jis…', readEncoding)
    .option('-o, --output <dir>', 'where to write the files (default: the name of the CSV file)')
    .option('--name <name>', 'what to call the bulk (default: the name of the CSV file)')
    .addOption(
      new Option('--results <format>', 'how to write what became of each row')
        .choices(['csv', 'json'])
        .default('csv'),
    )
    .option('--var <name=value>', 'set a variable for all rows', readVariable)
    .option('--workers <n>', 'worker processes of the farm it starts', readCount, 1)
    .option(
      '--data <dir>',
      'where that farm keeps its things (default: .farm/render in the checkout)',
    )
    .addHelpText(
      'after',
      `
A column "person.name" sets a part of the variable "person". A cell is text, unless the project's own
value of the variable is a number, a flag, an array or an object; then it is read as one, and an empty
cell leaves the project's value. The column "name", if there is one, also names the row's file.
The file is UTF-8 or UTF-16, with commas, semicolons or tabs. Any other encoding is refused unless
--encoding names it: Excel's plain "CSV" is windows-1252 in Western Europe and the Americas.
Writes one file for each row and results.csv, or results.json. Ends with code 1 when any row has none.

Uses the farm at FARM_URL with FARM_API_KEY when they are set, else starts one for itself.`,
    )
    .action(async (file: string, options: Omit<BulkOptions, 'file'>) => {
      const { renderBulk } = await import('../bulk/bulk.ts')
      await renderBulk({ file, ...options })
    })
}
