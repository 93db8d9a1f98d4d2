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
    .option('--port <n>', 'port of the API; 0 takes a free one (the default)', readPort)
    .option('--workers <n>', 'worker processes', readCount, 1)
    .option(
      '--data <dir>',
      'data folder (default: .farm in the checkout); its operate.env serves the operators’ commands',
    )
    .option('--apart', 'run api, scheduler and workflows as separate processes, as in production')
    .option(
      '--json',
      'print one JSON line {url, apiKey, dashboardUrl, operator} when it is ready to render',
    )
    .action(async ({ json = false, ...options }: DevOptions) => {
      const { runDevFarm } = await import('../farm/dev.ts')
      await runDevFarm({ ...options, json })
    })
}
