import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'

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

/** A folder with the launcher and packages that npm installed without scripts: no Node among them. */
function withoutOwnNode(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'farm-image-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  cpSync(join(root, 'farm'), join(folder, 'farm'))
  for (const name of ['cli', 'bin', 'node_modules']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), '{}')
  writeFileSync(join(folder, 'cli', 'main.ts'), cli)
  const call = () =>
    spawnSync(join(folder, 'farm'), ['doctor'], {
      env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` },
      encoding: 'utf8',
    })
  return { bin: join(folder, 'bin'), call }
}

test('packages installed without scripts run on the Node of PATH', (t) => {
  const { bin, call } = withoutOwnNode(t)
  symlinkSync(process.execPath, join(bin, 'node'))
  const { stdout, stderr } = call()
  t.is(stderr, '')
  const [version, , ...args] = JSON.parse(stdout)
  t.deepEqual([version, ...args], ['v24', 'doctor'])
})

test('an older Node of PATH is refused with its version', (t) => {
  const { bin, call } = withoutOwnNode(t)
  writeFileSync(join(bin, 'node'), '#!/bin/sh\necho v22.4.1\n', { mode: 0o755 })
  const { status, stderr } = call()
  t.is(status, 1)
  t.regex(
    stderr,
    /^farm: node must be 24 or newer\. Got v22\.4\.1; 'npm run setup' in .* brings one\.\n$/,
  )
})

test('before the set-up the launcher says what to do', (t) => {
  const bare = mkdtempSync(join(tmpdir(), 'farm-bare-'))
  t.teardown(() => rmSync(bare, { recursive: true }))
  cpSync(join(root, 'farm'), join(bare, 'farm'))
  const { status, stderr } = spawnSync(join(bare, 'farm'), { encoding: 'utf8' })
  t.is(status, 1)
  t.regex(stderr, /^farm: the packages are not installed yet; run 'npm run setup' in .* first\.\n$/)
})
