import { Command, Option } from 'commander'
import type { BulkOptions } from '../bulk/bulk.ts'
import { readBulkId, readCount, readEncoding, readVariable } from '../options.ts'

export function bulkCommand(): Command {
  const command = new Command('bulk')
    // An option after the name of a command below is that command's.
    .enablePositionalOptions()
    .description('Render one project once for each row of a CSV file.')
    .argument('<file>', 'project, or render request {payload, variables, overrides}, as JSON')
    .option('--csv <rows>', 'a CSV file whose first row names variables (required)')
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
    .action(async (file: string, { csv, ...options }: Partial<Pick<BulkOptions, 'csv'>> & Rest) => {
      // Not commander's to demand: the commands below take no CSV file.
      if (csv === undefined)
        return command.error("error: required option '--csv <rows>' not specified")
      const { renderBulk } = await import('../bulk/bulk.ts')
      await renderBulk({ file, csv, ...options })
    })
  command.addCommand(retryCommand().exitOverride())
  command.addCommand(downloadCommand().exitOverride())
  return command
}

type Rest = Omit<BulkOptions, 'file' | 'csv'>

function retryCommand(): Command {
  return new Command('retry')
    .description('Render the failed items of a bulk again, as a new bulk.')
    .argument('<bulk>', 'id, like blk_ and 20 letters or digits', readBulkId)
    .option('--cancelled', 'the cancelled items as well')
    .option('--json', 'print the whole answer as JSON')
    .addHelpText('after', '\nUses the farm at FARM_URL with FARM_API_KEY.')
    .action(async (bulk: string, options: { cancelled?: boolean; json?: boolean }) => {
      const { retryBulk } = await import('../bulk/ended.ts')
      await retryBulk({ bulk, ...options })
    })
}

function downloadCommand(): Command {
  return new Command('download')
    .description('Save all files of a bulk as one ZIP, named by their rows.')
    .argument('<bulk>', 'id, like blk_ and 20 letters or digits', readBulkId)
    .option('-o, --output <file>', 'output file (default: the name of the bulk, and .zip)')
    .addHelpText('after', '\nUses the farm at FARM_URL with FARM_API_KEY.')
    .action(async (bulk: string, options: { output?: string }) => {
      const { downloadBulk } = await import('../bulk/ended.ts')
      await downloadBulk({ bulk, ...options })
    })
}
