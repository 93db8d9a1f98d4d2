import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../..', import.meta.url))
const checkout = mkdtempSync(join(tmpdir(), 'farm-launcher-'))
test.after.always(() => rmSync(checkout, { recursive: true }))

// Puts the launcher beside a command line that prints how it was called, or waits for a signal.
const cli = `
if (process.argv[2] === 'wait') {
  process.on('SIGTERM', () => process.exit(7))
  setInterval(() => undefined, 60_000)
}
console.log(JSON.stringify([process.version.split('.')[0], process.pid, ...process.argv.slice(2)]))
`
test.before(() => {
  cpSync(join(root, 'farm'), join(checkout, 'farm'))
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  mkdirSync(join(checkout, 'cli'))
  writeFileSync(join(checkout, 'cli', 'main.ts'), cli)
})

test('the launcher runs the CLI on Node 24, anywhere and through links', (t) => {
  symlinkSync('farm', join(checkout, 'relative'))
  symlinkSync(join(checkout, 'relative'), join(checkout, 'cli', 'absolute'))
  for (const path of ['farm', 'relative', 'cli/absolute']) {
    const called = spawnSync(join(checkout, path), ['render', 'my film.json'], {
      cwd: tmpdir(),
      encoding: 'utf8',
    })
    t.is(called.stderr, '')
    const [version, , ...args] = JSON.parse(called.stdout)
    t.deepEqual([version, ...args], ['v24', 'render', 'my film.json'])
  }
})

test('signals to the launcher reach the command line, since it becomes it', async (t) => {
  const running = spawn(join(checkout, 'farm'), ['wait'], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => running.kill('SIGKILL'))
  const [line] = await new Promise<Buffer[]>((resolve) => {
    running.stdout.once('data', (...chunks) => resolve(chunks))
  })
  t.is(JSON.parse(String(line))[1], running.pid)
  running.kill('SIGTERM')
  t.is(await new Promise((resolve) => running.once('exit', resolve)), 7)
})

test('before the set-up the launcher says what to do', (t) => {
  const bare = mkdtempSync(join(tmpdir(), 'farm-bare-'))
  t.teardown(() => rmSync(bare, { recursive: true }))
  cpSync(join(root, 'farm'), join(bare, 'farm'))
  const { status, stderr } = spawnSync(join(bare, 'farm'), { encoding: 'utf8' })
  t.is(status, 1)
  t.regex(stderr, /^farm: the packages are not installed yet; run 'npm run setup' in .* first\.\n$/)
})
