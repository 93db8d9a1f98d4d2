import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { createMark, endLeftovers } from '../leftovers.ts'
import { createTally } from '../tally.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('a run in which ava could not run anything is a failure', (t) => {
  const { status, stdout } = spawnSync(process.execPath, ['test/run.ts', 'no-such.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  t.is(status, 1)
  t.is(stdout.trimEnd().split('\n').at(-1), '0 passed, 1 failed')
})

test('tests are counted, and the counts come last', (t) => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['test/run.ts', 'test/infra/packages.test.ts'],
    { cwd: root, encoding: 'utf8' },
  )
  t.is(status, 0)
  t.is(stdout.trimEnd().split('\n').at(-1), '2 passed, 0 failed')
})

test('a failure keeps its details and is repeated at the end', (t) => {
  const tally = createTally()
  const tap = [
    'ok 1 - fine',
    'not ok 2 - broken',
    '  ---',
    '    message: no',
    '  ...',
    'a log line',
  ]
  const said = [...tap, 'ok 3 - elsewhere # SKIP', '# fail 1'].map((line) => tally.read(line))
  t.deepEqual(tally.failures, [['✘ broken', '  ---', '    message: no', '  ...']])
  t.deepEqual(tally.counts, { passed: 1, failed: 1, skipped: 1 })
  t.true(tally.isComplete)
  t.deepEqual(said.slice(0, 2), ['✔ fine', '✘ broken'])
})

test.serial('processes left by a test are ended, even outside its group', async (t) => {
  if (process.platform !== 'linux') return void t.pass('needs /proc')
  const mark = createMark()
  const left = spawn('sleep', ['600'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, ...mark.env },
  })
  t.teardown(() => left.kill('SIGKILL'))
  const exited = new Promise((resolve) => left.once('exit', (_, signal) => resolve(signal)))
  t.deepEqual(endLeftovers(mark), ['sleep 600'])
  t.is(await exited, 'SIGKILL')
  t.deepEqual(endLeftovers(mark), [])
})
