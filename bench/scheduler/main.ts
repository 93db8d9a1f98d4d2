// Measures the cost of leasing, and the shares of accounts: `npm run bench:scheduler -- [FLAGS]`.
// The whole takes under ten minutes; `-- --quick` under two.
import { parseArgs } from 'node:util'
import { showTable } from '../statistics.ts'
import { depthHeader, measureDepths } from './depth.ts'
import { fairnessHeader, measureEquals, measureInversions, measureSingle } from './fairness.ts'
import { figuresHeader, measureFigures } from './figures.ts'
import { type FleetSize, fleetHeader, measureFleet } from './fleets.ts'
import { limitHeader, measureLimit } from './limit.ts'
import { startStage } from './stage.ts'

const { values: flags } = parseArgs({
  options: {
    /** Runs only one of the parts: `limit`, `depths`, `figures`, `fairness`, `fleets`. */
    only: { type: 'string' },
    /** Uses small numbers unless a flag overrides them. */
    quick: { type: 'boolean', default: false },
    /** Number of `farm scheduler` processes. */
    schedulers: { type: 'string', default: '2' },
    /** Number of processes that play a large fleet's nodes. */
    clients: { type: 'string', default: '4' },
    /** Duration of each measurement. */
    seconds: { type: 'string' },
    /** List of `NODES:MEAN MS OF A TASK` with commas; `none` leaves them out. */
    fleets: { type: 'string' },
    /** Numbers of queued tasks, ascending, with commas; `none` leaves them out. */
    depths: { type: 'string' },
    /** Number of tasks that a single one competes with. */
    crowd: { type: 'string' },
  },
})

const allFleets = '10:0,100:0,1000:5000,5000:25000,10:500,100:5000,1000:50000,5000:250000'
const usual = flags.quick
  ? { seconds: '4', fleets: '10:0,100:5000', depths: '1000,10000', crowd: '10000' }
  : { seconds: '10', fleets: allFleets, depths: '1000,10000,100000,1000000', crowd: '100000' }
const seconds = readCount('seconds', flags.seconds ?? usual.seconds)
const fleets = readList(flags.fleets ?? usual.fleets).map(readFleet)
const depths = readList(flags.depths ?? usual.depths).map((text) => readCount('depths', text))
const crowd = readCount('crowd', flags.crowd ?? usual.crowd)

const clients = readCount('clients', flags.clients)
const parts = readParts(flags.only)

const stage = await startStage(readCount('schedulers', flags.schedulers))
try {
  if (parts.includes('limit')) show(limitHeader, await measureLimit(stage, seconds))
  if (parts.includes('depths') && depths.length > 0) {
    const { rows, scans } = await measureDepths(stage, { depths, leases: 20 * seconds })
    show(depthHeader, rows)
    process.stdout.write(`The plan at ${depths.at(-1)} reads the queue so:\n${scans.join('\n')}\n`)
  }
  if (parts.includes('figures') && depths.length > 0)
    show(figuresHeader, await measureFigures(stage, depths))
  if (parts.includes('fairness')) {
    show(fairnessHeader, [
      await measureEquals(stage, seconds),
      await measureSingle(stage, { crowd, repeats: seconds }),
      await measureInversions(stage, seconds),
    ])
  }
  // Shown one by one: the last ones take minutes.
  for (const size of parts.includes('fleets') ? fleets : []) {
    const { row, notes } = await measureFleet(stage, { size, seconds, clients })
    show(fleetHeader, [row])
    for (const note of notes) process.stdout.write(`${note}\n`)
  }
} finally {
  await stage.stop()
}

function show(header: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${showTable(header, rows)}\n`)
}

function readParts(only: string | undefined): readonly string[] {
  const all = ['limit', 'depths', 'figures', 'fairness', 'fleets']
  if (only === undefined) return all
  if (all.includes(only)) return [only]
  throw new Error(`--only must be one of ${all.join(', ')}. Got ${only}`)
}

function readList(text: string): string[] {
  return text === 'none' ? [] : text.split(',')
}

function readCount(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`--${name} must be an integer >= 1. Got ${text}`)
}

function readFleet(text: string): FleetSize {
  const [nodes = '', taskMs = ''] = text.split(':')
  if (/^[1-9]\d*:\d+$/.test(text)) return { nodes: Number(nodes), taskMs: Number(taskMs) }
  throw new Error(`--fleets must be NODES:MILLISECONDS, with commas. Got ${text}`)
}
