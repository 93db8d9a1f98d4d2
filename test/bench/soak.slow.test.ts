import test from 'ava'
import { soak } from '../../bench/soak.ts'

const gigabyte = 2 ** 30
const idleMostBytes = 600 * 2 ** 20
/**
 * Its caches fill meanwhile, up to 160 MB. A leak of one frame a film would add 240 MB by the
 * middle of the last quarter.
 */
const mayGrowBytes = 200 * 2 ** 20

test('a node of 1080p films stays under 1 GB, 600 MB idle', async (t) => {
  t.timeout(15 * 60_000)
  const lines: string[] = []
  const { most, early, late, idle } = await soak(60, (line) => lines.push(line), 30)
  t.true(most < gigabyte, `at most ${most} bytes\n${lines.join('\n')}`)
  t.true(late - early < mayGrowBytes, `from ${early} to ${late} bytes\n${lines.join('\n')}`)
  t.true(idle < idleMostBytes, `${idle} bytes after a minute without work`)
})
