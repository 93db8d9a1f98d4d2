import test from 'ava'
import { runChaos } from './chaos.ts'
import { writeReport } from './report.ts'

/** FARM_TEST_SEED for another run; the same in CI, so that it is red for a change and not for luck. */
const seed = Number(process.env.FARM_TEST_SEED ?? 1)

test('a farm that is broken for a minute keeps every promise', async (t) => {
  // It takes under three minutes; a busy machine gets more.
  t.timeout(15 * 60_000)
  const lines: string[] = []
  const verdict = await runChaos({ seed, seconds: 60, say: (line) => lines.push(line) })
  const broken = verdict.checks.filter((check) => check.broken.length > 0)
  t.deepEqual(broken, [], [`Seed ${seed}`, ...lines, writeReport(verdict)].join('\n'))
})
