// Process that plays some of a fleet's nodes (fleet.ts). Its one argument holds the options, and
// messages control it; it ends with its parent process.
import { type FleetOptions, startNodes } from './nodes.ts'

type Order = { readonly addresses: readonly string[] } & FleetOptions

process.on('disconnect', () => process.exit(1))
const { addresses, ...options } = JSON.parse(process.argv[2] ?? '{}') as Order
const { observe, stop, ...started } = await startNodes(addresses, options)
process.on('message', (message) => void obey(message))
process.send?.(started)

/** Handles a message. A number: observe for that many seconds. Anything else: leave. */
async function obey(message: unknown): Promise<void> {
  if (typeof message === 'number') process.send?.(await observe(message))
  else {
    await stop()
    process.exit()
  }
}
