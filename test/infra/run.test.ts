import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('a run in which ava could not run anything ends in a failure and says so last', (t) => {
  const { status, stdout } = spawnSync(process.execPath, ['test/run.ts', 'no-such.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  t.is(status, 1)
  t.is(stdout.trimEnd().split('\n').at(-1), '0 passed, 1 failed')
})

test('what ran is counted, and the counts come last', (t) => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['test/run.ts', 'test/infra/packages.test.ts'],
    { cwd: root, encoding: 'utf8' },
  )
  t.is(status, 0)
  t.is(stdout.trimEnd().split('\n').at(-1), '2 passed, 0 failed')
})
