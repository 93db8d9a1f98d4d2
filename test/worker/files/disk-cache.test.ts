import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { DiskCache } from '../../../worker/files/disk-cache.ts'
import { whyNoDisks } from '../../farm/small-disks.ts'

function folderOf(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'farm-cache-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a cache over its limit drops the least recently used file', async (t) => {
  const folder = folderOf(t)
  const cache = new DiskCache({ dir: join(folder, 'cache'), limitBytes: 2_500 })
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(folder, name), Buffer.alloc(1_000))
    t.is(await cache.adopt(name, join(folder, name)), join(folder, 'cache', name))
    // Waits, so that the times on disk differ.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await cache.find('a')
  }
  t.deepEqual(readdirSync(join(folder, 'cache')).sort(), ['a', 'c'])
  t.is(await cache.find('b'), undefined)
})

test('a scope finds only its own files; the limit is shared', async (t) => {
  const folder = folderOf(t)
  const cache = new DiskCache({ dir: join(folder, 'cache'), limitBytes: 1_500 })
  const [one, two] = [cache.within('one'), cache.within('two')]
  writeFileSync(join(folder, 'a'), Buffer.alloc(1_000))
  const path = await one.adopt('a', join(folder, 'a'))
  t.is(await one.find('a'), path)
  t.is(await two.find('a'), undefined)
  writeFileSync(join(folder, 'a'), Buffer.alloc(1_000))
  await two.adopt('a', join(folder, 'a'))
  t.is(await one.find('a'), undefined)
})

const whyNot = whyNoDisks()
const diskTest = whyNot === undefined ? test : test.skip

diskTest('a cache on a small disk leaves as much free as used', (t) => {
  const disk = folderOf(t)
  const module = new URL('../../../worker/files/disk-cache.ts', import.meta.url)
  const script = `
    import { readdirSync, writeFileSync } from 'node:fs'
    import { DiskCache } from '${module}'
    const cache = new DiskCache({ dir: '${disk}/cache', limitBytes: 2 ** 40 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      writeFileSync('${disk}/file', Buffer.alloc(1_000_000))
      await cache.adopt(name, '${disk}/file')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const adopted = readdirSync('${disk}/cache')
    writeFileSync('${disk}/other', Buffer.alloc(2_500_000))
    await cache.trim()
    console.log(JSON.stringify([adopted, readdirSync('${disk}/cache')]))`
  const told = execFileSync(
    'unshare',
    [
      ...['--mount', 'sh', '-c', `mount -t tmpfs -o size=6m farm-test '${disk}' && exec "$0" "$@"`],
      ...[process.execPath, '--input-type=module', '--eval', script],
    ],
    { encoding: 'utf8' },
  )
  t.deepEqual(JSON.parse(told), [['c', 'd', 'e'], ['e']])
})
