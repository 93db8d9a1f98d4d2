import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import test from 'ava'
import { startLocalFarm } from '../../cli/farm/local-farm.ts'
import { createFarmClient } from '../../client/farm-client.ts'

test('no other local user can read a farm’s files, old or new', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  // Permissions that an older farm left.
  mkdirSync(join(dataDir, 'objects'), { mode: 0o755 })
  writeFileSync(join(dataDir, 'objects', 'old'), '', { mode: 0o644 })
  const farm = startLocalFarm({ dataDir, port: 0, workers: 1, onEvent: () => undefined })
  t.teardown(() => farm.stop())
  const address = await farm.ready
  t.not(new URL(address.url).port, '0', 'port 0 is any free one')
  const client = createFarmClient(address)
  const { jobId } = await client.submit({
    payload: { type: 'image', width: 64, height: 64, visuals: [{ type: 'TEXT', html: 'Hello' }] },
  })
  t.is((await client.wait(jobId)).state, 'completed')

  for (const folder of [dataDir, join(dataDir, 'postgres')]) {
    t.is(statSync(folder).mode & 0o077 & ~0o011, 0, `nobody lists ${folder}`)
  }
  t.is(statSync(join(dataDir, 'postgres', 'postgres.log')).mode & 0o777, 0o600)
  for (const name of ['objects', 'workers', 'logs', 'prometheus', 'temporal']) {
    t.is(statSync(join(dataDir, name)).mode & 0o777, 0o700, name)
  }
  const made = ['objects/objects', 'workers'].flatMap((name) => everythingIn(join(dataDir, name)))
  t.true(made.length > 10)
  const open = made.filter((path) => (statSync(path).mode & 0o077) !== 0)
  t.deepEqual(
    open.map((path) => relative(dataDir, path)),
    [],
  )
})

function everythingIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
}
