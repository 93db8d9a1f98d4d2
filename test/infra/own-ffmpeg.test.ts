import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { findProgram } from '../../infra/setup/cache.mjs'

const setup = fileURLToPath(new URL('../../infra/setup/setup.mjs', import.meta.url))
const alone = fileURLToPath(new URL('../../infra/setup/ffmpeg-alone.mjs', import.meta.url))
const state = `import { ownFfmpegState } from '${new URL('../../infra/setup/ffmpeg.mjs', import.meta.url)}'
  console.log(JSON.stringify(await ownFfmpegState()))`

/** Programs of this machine that the set-up and the fakes below run. */
const real = [
  'id',
  'sh',
  'flock',
  'cat',
  'true',
  'sleep',
  'mkdir',
  'touch',
  'bwrap',
  'temporal',
  'ffmpeg',
  'ffprobe',
]
const isUsual =
  real.every(findProgram) && realpathSync(findProgram('ffmpeg') ?? '') === '/usr/bin/ffmpeg'
const onDebian = process.platform === 'linux' && isUsual ? test : test.skip

const facts = 'Status: install ok installed\nVersion: 7:5.1.9-0+deb12u1'
const program = '#!/bin/sh\necho ffmpeg version 0-farm\n'

/**
 * A Debian with all packages, whose compiler is `make` here: it says that it began, and waits until
 * it may end. What is "built" are two small scripts.
 */
function makeDebian(t: ExecutionContext) {
  const home = mkdtempSync(join(tmpdir(), 'farm-ffmpeg-'))
  t.teardown(() => rmSync(home, { recursive: true, maxRetries: 5 }))
  const path = join(home, 'bin')
  mkdirSync(path)
  for (const name of real) symlinkSync(findProgram(name) ?? '', join(path, name))
  const [begun, go] = [join(home, 'begun'), join(home, 'go')]
  const sources =
    'mkdir source; printf "#!/bin/sh\\n:>config.h" > source/configure; chmod +x source/*'
  const copies = ['ffmpeg', 'ffprobe', 'x264'].map(
    (name) => `printf '%s' '${program}' > source/${name}`,
  )
  const said = {
    ldd: `echo 'libx264.so.164 => ${join(path, 'ffmpeg')} (0x0)'`,
    'dpkg-query': `case $1 in --search*) echo "libx264-164:amd64: $2" ;; *) echo '${facts}' ;; esac`,
    'dpkg-buildflags': '',
    'dpkg-source': `${[...copies, sources].reverse().join('; ')}; chmod +x source/*`,
    // It leaves what apt would, and knows no package lists to update.
    'apt-get': 'case "$*" in *source*) : > a.dsc ;; esac',
    make: `touch ${begun}; echo CC a.o; while [ ! -e ${go} ]; do sleep 0.05; done`,
    chromium: '',
  }
  for (const [name, text] of Object.entries({ ...said, chmod: '/bin/chmod "$@"' })) {
    writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  }
  const env = { PATH: path, HOME: home, XDG_CACHE_HOME: home }
  const dir = join(home, 'farm', 'ffmpeg')
  const file = (name: string) => join(dir, name)
  // A build that a failed test leaves must not go on for ever.
  t.teardown(() => writeFileSync(go, ''))
  return {
    ...{ env, dir, file },
    log: file('build.log'),
    begun: () => until(t, () => existsSync(begun)),
    finish: () => writeFileSync(go, ''),
    again() {
      rmSync(begun)
    },
    setUp: (...args: string[]) =>
      spawnSync(process.execPath, [setup, ...args], { env, encoding: 'utf8' }),
    buildAlone: (...args: string[]) =>
      spawnSync(process.execPath, [alone, ...args], { cwd: home, env, encoding: 'utf8' }),
    state(): { state: string; facts: string } {
      const args = ['--input-type=module', '-e', state]
      return JSON.parse(spawnSync(process.execPath, args, { env, encoding: 'utf8' }).stdout)
    },
  }
}

async function until(t: ExecutionContext, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000 && !isTrue(); tries += 1) await sleep(20)
  t.true(isTrue())
}

onDebian('a film waits for no compiler: the build outlives the set-up', async (t) => {
  const debian = makeDebian(t)
  const first = debian.setUp('--film')
  t.is(first.status, 0, first.stderr)
  const last = first.stderr.trimEnd().split('\n').at(-1)
  t.is(
    last,
    `The farm's own ffmpeg, which starts faster, is being built in the background (${debian.log}); until then the system's makes the same films.`,
  )
  await debian.begun()
  t.false(existsSync(debian.file('ffmpeg')))
  t.like(debian.state(), { state: 'building' })
  t.regex(
    debian.state().facts,
    /^the farm's own is being built, compiling x264 after \d+ s \(.*build\.log\)$/,
  )
  const second = debian.setUp('--film')
  t.is(second.status, 0)
  t.regex(
    second.stderr,
    /^The farm uses the ffmpeg that is there: the farm's own is being built, .*\n$/,
  )

  debian.finish()
  await until(t, () => existsSync(debian.file('build')) && debian.state().state === 'current')
  // The build is there before its last line.
  await until(t, () => / built \(\d+ s\)\n$/.test(readFileSync(debian.log, 'utf8')))
  t.is(readFileSync(debian.file('ffmpeg'), 'utf8'), program)
  t.truthy(statSync(debian.file('ffprobe')).mode & 0o100)
  t.deepEqual(
    readdirSync(debian.dir).filter((name) => name.startsWith('.build-')),
    [],
  )
  t.regex(readFileSync(debian.log, 'utf8'), /CC a\.o\n/)
  t.like(debian.setUp('--film'), { status: 0, stderr: '' })
})

onDebian('tests wait for a build in the background instead of making another', async (t) => {
  const debian = makeDebian(t)
  debian.setUp('--film')
  await debian.begun()
  debian.again()
  const waiting = spawn(process.execPath, [setup], { env: debian.env, stdio: 'ignore' })
  const ended = once(waiting, 'close')
  t.is(await Promise.race([ended, sleep(1_000, 'waits')]), 'waits')
  t.false(existsSync(debian.file('build')))
  debian.finish()
  t.deepEqual((await ended)[0], 0)
  t.is(debian.state().state, 'current')
})

onDebian('a killed build leaves nothing, and the next film begins another', async (t) => {
  const debian = makeDebian(t)
  debian.setUp('--film')
  await debian.begun()
  const { pid } = JSON.parse(readFileSync(debian.file('build.progress'), 'utf8'))
  process.kill(pid, 'SIGKILL')
  await until(t, () => debian.state().state === 'none')
  const left = readdirSync(debian.dir).filter((name) => name.startsWith('.build-'))
  t.is(left.length, 1)
  debian.again()
  t.true(debian.setUp('--film').stderr.includes('is being built in the background'))
  await debian.begun()
  debian.finish()
  await until(t, () => debian.state().state === 'current')
  t.deepEqual(
    readdirSync(debian.dir).filter((name) => name.startsWith('.build-')),
    [],
  )
})

onDebian(
  'a failure in the background is told once, by the next set-up and the doctor',
  async (t) => {
    const debian = makeDebian(t)
    writeFileSync(join(debian.env.PATH, 'make'), '#!/bin/sh\necho no compiler\nexit 2\n')
    debian.setUp('--film')
    await until(t, () => existsSync(debian.file('build')))
    await until(t, () => debian.state().state === 'failed')
    t.is(
      debian.state().facts,
      `the farm's own was not built: x264 could not be compiled. (${debian.file('build')})`,
    )
    t.regex(readFileSync(debian.log, 'utf8'), /^no compiler$/m)
    const told = `x264 could not be compiled. The farm uses the system's ffmpeg. To try again, remove ${debian.file('build')}.\n`
    t.like(debian.setUp('--film'), { status: 0, stderr: told })
    t.like(debian.setUp('--film'), { status: 0, stderr: '' })
  },
)

onDebian('a stage of an image builds it alone, into a folder', (t) => {
  const debian = makeDebian(t)
  debian.finish()
  const into = join(debian.dir, 'built', 'bin')
  const { status, stderr } = debian.buildAlone(into)
  t.is(status, 0, stderr)
  for (const name of ['ffmpeg', 'ffprobe']) {
    t.is(readFileSync(join(into, name), 'utf8'), program)
    t.truthy(statSync(join(into, name)).mode & 0o100)
  }
})

onDebian('a build alone that fails ends with its reason', (t) => {
  const debian = makeDebian(t)
  const none = debian.buildAlone()
  t.like(none, { status: 1, stderr: 'Name the folder that gets ffmpeg and ffprobe.\n' })
  writeFileSync(join(debian.env.PATH, 'make'), '#!/bin/sh\necho no compiler\nexit 2\n')
  const { status, stderr } = debian.buildAlone(join(debian.dir, 'built'))
  t.is(status, 1)
  t.regex(stderr, /^The farm's own ffmpeg was not built: x264 could not be compiled\.$/m)
  t.false(existsSync(join(debian.dir, 'built')))
})
