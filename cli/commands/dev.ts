import { Command } from 'commander'
import { readCount, readPort } from '../options.ts'

type DevOptions = {
  readonly port?: number
  readonly workers: number
  readonly data?: string
  readonly apart?: boolean
  readonly json?: boolean
}

export function devCommand(): Command {
  return new Command('dev')
    .description('Run a whole farm on this machine, with a ready API key, until Ctrl-C.')
    .option('--port <n>', 'port of the API; 0: a free one (the default)', readPort)
    .option('--workers <n>', 'worker processes', readCount, 1)
    .option(
      '--data <dir>',
      'where everything is kept (default: .farm in the checkout); its operate.env is for the operators’ commands',
    )
    .option('--apart', 'api, scheduler and workflows as a process each, as in production')
    .option('--json', 'print one JSON line {url, apiKey} when it is ready to render')
    .action(async ({ json = false, ...options }: DevOptions) => {
      const { runDevFarm } = await import('../farm/dev.ts')
      await runDevFarm({ ...options, json })
    })
}
