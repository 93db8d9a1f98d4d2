import test from 'ava'
import { soak } from '../../bench/soak.ts'

const gigabyte = 2 ** 30
/** Of a minute and sixty films, in which some caches still fill; a film that leaves a frame behind would make it 200 MB. */
const mayGrowBytes = 100 * 2 ** 20

test('a node stays under 1 GB and does not grow while it makes 1080p films for a minute', async (t) => {
  t.timeout(15 * 60_000)
  const lines: string[] = []
  const { films, most, early, late } = await soak(60, (line) => lines.push(line), 60)
  t.true(films >= 60, lines.join('\n'))
  t.true(most < gigabyte, `at most ${most} bytes\n${lines.join('\n')}`)
  t.true(late - early < mayGrowBytes, `from ${early} to ${late} bytes\n${lines.join('\n')}`)
})
