import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { readWhole } from '../../../worker/files/read-whole.ts'
import { workOf } from '../encode/film-of.ts'

test('a file is read as it is, empty or of many megabytes', async (t) => {
  const { dir } = await workOf(t)
  const file = join(dir, 'file')
  for (const size of [0, 1, 65_536, 9_000_001]) {
    const bytes = Buffer.alloc(size).map((_, at) => (at * 7) % 251)
    await writeFile(file, bytes)
    t.true((await readWhole(file)).equals(bytes), `${size} bytes`)
  }
})

test('a missing file is reported as missing', async (t) => {
  const { dir } = await workOf(t)
  await t.throwsAsync(readWhole(join(dir, 'none')), { code: 'ENOENT' })
})
