import { faults } from './faults.ts'
import { type Figure, type Options, report } from './figure.ts'
import { fleet } from './fleet.ts'
import { judgeAfterKeys } from './judge-after-keys.ts'
import { lists } from './lists.ts'
import { liveFilm } from './live-film.ts'
import { longTable } from './long-table.ts'
import { memory } from './memory.ts'
import { outage } from './outage.ts'
import { scores } from './scores.ts'
import { setUp } from './set-up.ts'
import { tabs } from './tabs.ts'
import { weights } from './weights.ts'

/** Groups of rows, in their order in the table. */
const groups: Readonly<Record<string, (options: Options) => Promise<readonly Figure[]>>> = {
  ...{
    weights,
    lists,
    table: longTable,
    fleet,
    memory,
    judge: judgeAfterKeys,
    tabs,
    outage,
    faults,
  },
  ...{ live: liveFilm, 'set-up': setUp, scores },
}

/**
 * Prints the dashboard's figures beside their demands, and fails where one is not met or cannot be judged.
 * Arguments: `[REPEATS] [MINUTES]`, and names of the groups to measure alone.
 */
export async function benchDashboard(args: readonly string[]): Promise<void> {
  const numbers = args.map(Number).filter((each) => !Number.isNaN(each))
  const [repeats = 3, minutes = 2] = numbers
  const named = args.filter((each) => Number.isNaN(Number(each)))
  const unknown = named.find((name) => !(name in groups))
  if (unknown !== undefined) {
    const names = Object.keys(groups).join(', ')
    throw new Error(`A group of rows must be one of ${names}. Got ${unknown}`)
  }
  const figures: Figure[] = []
  for (const [name, measure] of Object.entries(groups)) {
    if (named.length > 0 && !named.includes(name)) continue
    process.stderr.write(`${name}…\n`)
    figures.push(...(await measure({ repeats, minutes })))
  }
  if (!report(figures)) process.exitCode = 1
}
