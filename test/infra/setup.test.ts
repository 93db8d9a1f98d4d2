import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { findProgram } from '../../infra/setup/cache.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

function makeDir(t: ExecutionContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'farm-setup-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return dir
}

function setUp(checkout: string, env: NodeJS.ProcessEnv = process.env) {
  const script = join(checkout, 'infra', 'setup', 'setup.mjs')
  return spawnSync(process.execPath, [script, '--test'], { env, encoding: 'utf8' })
}

/** Makes a folder for PATH with only these programs of this machine, and those in `fakes`. */
function makePath(t: ExecutionContext, names: readonly string[]): string {
  const dir = makeDir(t)
  for (const name of names) symlinkSync(findProgram(name) ?? `/bin/${name}`, join(dir, name))
  return dir
}

test('the set-up is silent on a machine that has everything', (t) => {
  const { status, stdout, stderr } = setUp(root)
  t.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
})

test('missing programs are announced, or named when nothing can install them', (t) => {
  const { status, stderr } = setUp(root, { ...process.env, PATH: makePath(t, ['id', 'ffprobe']) })
  t.is(status, 1)
  const programs =
    process.platform === 'linux' ? 'ffmpeg, chromium, bubblewrap' : 'ffmpeg, chromium'
  t.true(stderr.includes(`  - ${programs} (`))
  const last = stderr.trimEnd().split('\n').at(-1)
  t.regex(last ?? '', new RegExp(`^Missing on this machine: ${programs}; install `))
})

test('a package that cannot be installed is named with the install command', (t) => {
  const path = makePath(t, ['id', 'sh', 'ffmpeg', 'ffprobe', 'bwrap'])
  // A Debian whose package lists know Chromium and whose mirror is away.
  for (const [name, code] of [
    ['apt-cache', 0],
    ['apt-get', 100],
    ['env', 100],
    ['sudo', 100],
  ] as const) {
    writeFileSync(join(path, name), `#!/bin/sh\necho "E: ${name} $*"\nexit ${code}\n`, {
      mode: 0o755,
    })
  }
  const { status, stderr } = setUp(root, { ...process.env, PATH: path })
  t.is(status, 1)
  t.regex(stderr, /E: .*apt-get .*install -y -q --no-install-recommends chromium-headless-shell/)
  const last = stderr.trimEnd().split('\n').at(-1)
  t.regex(
    last ?? '',
    /^Debian's packages chromium-headless-shell could not be installed: run `apt-/,
  )
})

const onDebian = process.platform === 'linux' && findProgram('temporal') ? test : test.skip

onDebian('where no ffmpeg can be built the system’s is used, which is said once', (t) => {
  const path = makePath(t, ['id', 'sh', 'ffmpeg', 'ffprobe', 'bwrap', 'temporal'])
  const facts = 'Status: install ok installed\nVersion: 7:5.1.9-0+deb12u1'
  const asked = `case "$1 $2" in
    '--status ffmpeg' | '--status libx264-164:amd64') echo '${facts}' ;;
    --search*) echo "libx264-164:amd64: $2" ;;
    *) exit 1 ;;
  esac`
  const linked = `libx264.so.164 => ${join(path, 'ffmpeg')} (0x0)`
  const says = { 'dpkg-query': asked, ldd: `echo '${linked}'`, chromium: '' }
  for (const [name, said] of Object.entries(says)) {
    writeFileSync(join(path, name), `#!/bin/sh\n${said}\n`, { mode: 0o755 })
  }
  for (const name of ['apt-cache', 'apt-get', 'env', 'sudo']) {
    writeFileSync(join(path, name), `#!/bin/sh\necho "E: ${name}"\nexit 100\n`, { mode: 0o755 })
  }
  const cache = makeDir(t)
  const env = { PATH: path, HOME: cache, XDG_CACHE_HOME: cache }
  const script = join(root, 'infra', 'setup', 'setup.mjs')
  const once = () => spawnSync(process.execPath, [script], { env, encoding: 'utf8' })
  const first = once()
  const lines = first.stderr.trimEnd().split('\n')
  t.is(first.status, 0, first.stderr)
  t.true(first.stderr.includes("  - the farm's own ffmpeg ("))
  const record = join(cache, 'farm', 'ffmpeg', 'build')
  t.regex(lines.at(-1) ?? '', /^Debian's packages build-essential, .* could not be installed: .*/)
  t.true(
    lines.at(-1)?.endsWith(`The farm uses the system's ffmpeg. To try again, remove ${record}.`),
  )
  t.like(once(), { status: 0, stderr: '' })
  rmSync(record)
  t.true(once().stderr.includes("The farm uses the system's ffmpeg."))
})

test('a changed package-lock.json means that the packages are installed again', (t) => {
  const checkout = makeDir(t)
  cpSync(join(root, 'infra', 'setup'), join(checkout, 'infra', 'setup'), { recursive: true })
  mkdirSync(join(checkout, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(process.execPath, join(checkout, 'node_modules', '.bin', 'node'))
  const record = readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')
  writeFileSync(join(checkout, 'node_modules', '.package-lock.json'), record)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock))
  t.is(setUp(checkout).stderr, '')

  lock.packages['node_modules/ava'].version = '0.0.1'
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify(lock))
  // A failing npm ends the set-up at its first step, so that nothing is really installed.
  writeFileSync(join(checkout, 'npm'), '#!/bin/sh\necho npm says no\nexit 1\n', { mode: 0o755 })
  const { status, stderr } = setUp(checkout, {
    ...process.env,
    PATH: `${checkout}:${process.env.PATH}`,
  })
  t.is(status, 1)
  t.regex(stderr, /^ {2}- the npm packages of package-lock.json \(into node_modules\)$/m)
  t.regex(stderr, /npm says no\nThe npm packages could not be installed: see what npm says above/)
})
