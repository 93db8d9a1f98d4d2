import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import test from 'ava'

test('types, lint, boundaries, unused code and the wire contract are in order', (t) => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, ['infra/check.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  t.is(status, 0, stdout)
})
