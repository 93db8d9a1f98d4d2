import test from 'ava'
import { runChaos } from './chaos.ts'
import { writeReport } from './report.ts'

/** FARM_TEST_SEED selects another run; it is fixed in CI, so that only a change can make it red. */
const seed = Number(process.env.FARM_TEST_SEED ?? 1)

test('a farm that is broken for a minute keeps every promise', async (t) => {
  // It takes under three minutes; a busy machine gets more.
  t.timeout(15 * 60_000)
  const lines: string[] = []
  const verdict = await runChaos({ seed, seconds: 60, say: (line) => lines.push(line) })
  const broken = verdict.checks.filter((check) => check.broken.length > 0)
  t.deepEqual(broken, [], [`Seed ${seed}`, ...lines, writeReport(verdict)].join('\n'))
})
