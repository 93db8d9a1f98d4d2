import { Command, Option } from 'commander'
import type { AccessAsked } from '../fleet/access.ts'
import {
  readAccessPlace,
  readKeyStart,
  readLines,
  readName,
  readRequestId,
  readStatus,
  readTime,
  readWords,
} from '../options.ts'
import { needsFarm } from './needs-farm.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export function accessCommand(): Command {
  return new Command('access')
    .description(`Search the requests that the farm answered, the latest first ${needsFarm}.`)
    .option('--request <id>', 'only the request of this id (X-Request-Id)', readRequestId)
    .option('--account <account>', 'only requests of this account, by id or name', readName)
    .option('--key <start>', 'only requests with keys that begin so', readKeyStart)
    .option(
      '--path <text>',
      'only requests with this in their paths, or that made this job',
      readWords,
    )
    .addOption(new Option('--method <method>', 'only requests of this method').choices(methods))
    .option('--status <status>', 'only answers of this status: 404, or 4xx', readStatus)
    .option('--address <address>', 'only this address or range, such as 203.0.113.0/24', readWords)
    .option(
      '--since <time>',
      'only at or after this time, like 2030-01-31T00:00:00Z (default: a day before --until, or ' +
        'before now; with --request all)',
      readTime,
    )
    .option('--until <time>', 'only before this time', readTime)
    .option('--before <place>', 'go on after a page: its last line says where', readAccessPlace)
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--json', 'print JSON, for programs')
    .action(async (options: AccessAsked) => {
      const { showAccess } = await import('../fleet/access.ts')
      await showAccess(options)
    })
}
