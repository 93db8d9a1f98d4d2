// A process that plays some of a fleet's nodes (fleet.ts). It is told what in its one argument, and
// when by messages; it ends with the process that started it.
import { type FleetOptions, startNodes } from './nodes.ts'

type Order = { readonly addresses: readonly string[] } & FleetOptions

process.on('disconnect', () => process.exit(1))
const { addresses, ...options } = JSON.parse(process.argv[2] ?? '{}') as Order
const { observe, stop, ...started } = await startNodes(addresses, options)
process.on('message', (message) => void obey(message))
process.send?.(started)

/** A number: observe for so many seconds. Anything else: leave. */
async function obey(message: unknown): Promise<void> {
  if (typeof message === 'number') process.send?.(await observe(message))
  else {
    await stop()
    process.exit()
  }
}
