import { Argument, Command, Option } from 'commander'
import type { CallOptions } from '../call/call.ts'
import { readApiPath } from '../options.ts'

export function callCommand(): Command {
  return new Command('call')
    .description('Send any request of the HTTP API and print the answer.')
    .addArgument(
      new Argument('<method>', 'method').choices(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    )
    .argument('<path>', 'path with its query, such as /api/jobs?state=failed', readApiPath)
    .option('-d, --data <json>', 'body as JSON; @FILE reads a file, @- standard input')
    .addOption(
      new Option('--file <file>', 'file whose bytes are the body, as for /api/uploads').conflicts(
        'data',
      ),
    )
    .option('-o, --output <file>', 'save the answer to a file')
    .option('--save <field>', 'save the file whose address is this field of the answer')
    .addHelpText(
      'after',
      `
Uses the farm at FARM_URL with FARM_API_KEY. Where FARM_ACCESS_TOKEN is set, with that in place of the
key: some requests need a person's sign-in. JSON is indented; everything else is printed as it comes.
A POST is sent with an Idempotency-Key, so that its retries act once.`,
    )
    .action(async (method: string, path: string, options: CallOptions) => {
      const { call } = await import('../call/call.ts')
      await call({ method, path }, options)
    })
}
