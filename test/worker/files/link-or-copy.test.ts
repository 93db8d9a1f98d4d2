import { existsSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { linkOrCopy } from '../../../worker/files/link-or-copy.ts'

/** Another file system than that of temporary files: no links between them. */
const memory = '/dev/shm'
const isApart = existsSync(memory) && statSync(memory).dev !== statSync(tmpdir()).dev

async function folderIn(place: string, clean: (remove: () => Promise<void>) => void) {
  const folder = await mkdtemp(join(place, 'farm-link-'))
  clean(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a file has another name without being copied', async (t) => {
  const folder = await folderIn(tmpdir(), t.teardown)
  const [file, to] = [join(folder, 'file'), join(folder, 'other')]
  await writeFile(file, 'bytes')
  await linkOrCopy(file, to)
  t.is((await stat(to)).ino, (await stat(file)).ino)
})

test('a missing file is reported as missing', async (t) => {
  const folder = await folderIn(tmpdir(), t.teardown)
  const linked = linkOrCopy(join(folder, 'none'), join(folder, 'other'))
  await t.throwsAsync(linked, { code: 'ENOENT' })
})

const testApart = isApart ? test : test.skip

testApart('where nothing can be linked a file is copied', async (t) => {
  const file = join(await folderIn(tmpdir(), t.teardown), 'file')
  const to = join(await folderIn(memory, t.teardown), 'other')
  await writeFile(file, 'bytes')
  await linkOrCopy(file, to)
  t.is(await readFile(to, 'utf8'), 'bytes')
})
