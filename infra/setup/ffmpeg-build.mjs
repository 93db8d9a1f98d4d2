import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { ownFfmpegDir } from './cache.mjs'
import {
  builtDir,
  configureOptions,
  hugePages,
  lessonOptions,
  lessons,
  segmentOptions,
  x264Options,
} from './ffmpeg-parts.mjs'
import {
  buildLock,
  missingBuildPackages,
  readProgress,
  readRecord,
  recordBuild,
  recordFailure,
  recordProgress,
  wantedBuild,
} from './ffmpeg-wanted.mjs'
import { withLock } from './hold-lock.mjs'
import { InterruptedError, mustRun, run, SetupError } from './shell.mjs'
import { installPrograms } from './system.mjs'

/**
 * Copies apt's package sources, changed to fetch source packages; apt still checks their signatures.
 */
async function sourceLists(folder) {
  const etc = '/etc/apt'
  const more = existsSync(join(etc, 'sources.list.d'))
    ? readdirSync(join(etc, 'sources.list.d'))
    : []
  const files = ['sources.list', ...more.map((name) => join('sources.list.d', name))]
  await mkdir(join(folder, 'lists', 'partial'), { recursive: true })
  await mkdir(join(folder, 'parts'), { recursive: true })
  for (const name of files.filter((each) => /\.(list|sources)$/.test(each))) {
    if (!existsSync(join(etc, name))) continue
    const text = readFileSync(join(etc, name), 'utf8')
    const asked = text.replace(/^deb\s/gm, 'deb-src ').replace(/^Types:.*$/gm, 'Types: deb-src')
    await writeFile(join(folder, 'parts', basename(name)), asked)
  }
  const options = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': join(folder, 'parts'),
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': folder,
    // apt's own user may not write into a home.
    'APT::Sandbox::User': '',
  }
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
}

/** Unpacks the source of a package into a folder of its own. */
async function unpackSource(name, version, { folder, lists }) {
  const into = join(folder, name)
  await mkdir(into)
  await mustRun('apt-get', [...lists, '-q', 'source', '--download-only', `${name}=${version}`], {
    cwd: into,
    sentence: `The source of ${name} ${version} could not be fetched.`,
  })
  const described = readdirSync(into).find((file) => file.endsWith('.dsc'))
  // apt has already checked it.
  await mustRun('dpkg-source', ['--no-check', '-x', String(described), 'source'], {
    cwd: into,
    sentence: `The source of ${name} could not be unpacked.`,
  })
  return join(into, 'source')
}

/** Compiles as the system's package does, twice: the first run profiles, the second uses it. Installs into `builtDir`. */
async function buildX264(source) {
  const flags = async (name) =>
    (await run('dpkg-buildflags', ['--get', name], { cwd: source })).stdout.trim()
  const [compiler, preprocessor] = await Promise.all([flags('CFLAGS'), flags('CPPFLAGS')])
  const env = { CFLAGS: `${compiler} ${preprocessor}`, LDFLAGS: await flags('LDFLAGS') }
  await mustRun('./configure', [`--prefix=${builtDir}`, ...x264Options], {
    ...{ cwd: source, env, sentence: 'The source of x264 cannot be configured here.' },
  })
  await withoutHugePages(join(source, 'config.h'))
  const files = Object.keys(lessons).map((name) => `${name}.y4m`)
  for (const [at, picture] of Object.values(lessons).entries()) {
    const args = ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', picture, '-pix_fmt', 'yuv420p']
    await mustRun('ffmpeg', [...args, files[at]], {
      ...{ cwd: source, sentence: 'Pictures for x264 to learn from were not made.' },
    })
  }
  const learn = ['fprofiled', `VIDS=${files.join(' ')}`, ...lessonOptions]
  for (const args of [learn, ['install-lib-static']]) {
    await mustRun('make', [`-j${availableParallelism()}`, ...args], {
      ...{ cwd: source, sentence: 'x264 could not be compiled.' },
    })
  }
  // make ignores a failed training run, so each input is encoded here again.
  for (const file of files) {
    await mustRun('./x264', [...segmentOptions, file, '-o', '/dev/null'], {
      ...{ cwd: source, sentence: 'x264 was compiled, but cannot encode.' },
    })
  }
}

async function withoutHugePages(config) {
  const text = await readFile(config, 'utf8')
  if (text.includes('HAVE_THP') && !Object.values(hugePages).some((line) => text.includes(line))) {
    throw new SetupError('How x264 asks for huge pages is not known.')
  }
  await writeFile(config, text.replace(hugePages.asked, hugePages.left))
}

async function build(folder, versions, note) {
  const missing = await missingBuildPackages()
  note('installing a compiler and libraries')
  if (missing.length > 0) await installPrograms(missing)
  note('fetching the sources')
  const lists = await sourceLists(folder)
  // Repositories without sources may fail here; the next request shows whether that matters.
  await run('apt-get', [...lists, '-q', 'update'])
  const x264 = await unpackSource('x264', versions.x264, { folder, lists })
  const source = await unpackSource('ffmpeg', versions.ffmpeg, { folder, lists })
  note('compiling x264')
  await buildX264(x264)
  note('configuring ffmpeg')
  await mustRun('./configure', configureOptions, {
    ...{ cwd: source, env: { PKG_CONFIG_PATH: join(builtDir, 'lib', 'pkgconfig') } },
    sentence: 'The source of ffmpeg cannot be configured here.',
  })
  const make = [`-j${availableParallelism()}`, 'ffmpeg', 'ffprobe']
  let compiled = 0
  const onLine = () => {
    compiled += 1
    if (compiled % 20 === 0) note(`compiling ffmpeg, ${compiled} files so far`)
  }
  await mustRun('make', make, { cwd: source, onLine, sentence: 'ffmpeg could not be compiled.' })
  for (const program of ['ffmpeg', 'ffprobe']) {
    const ended = await run(join(source, program), ['-version'])
    if (ended.code !== 0) throw new SetupError(`${program} does not run: ${ended.tail}`)
  }
  return source
}

/** Removes what killed builds left. Only for the holder of the lock. */
async function removeLeftovers(dir) {
  const left = readdirSync(dir).filter((name) => name.startsWith('.build-'))
  for (const name of left) await rm(join(dir, name), { recursive: true, force: true })
}

/**
 * Builds the farm's own ffmpeg, unless it is there, or cannot be built and the record says so. A
 * build that another process makes is waited for. On failure an existing build stays: running nodes
 * use it. Returns whether this call built it.
 */
export async function buildOwnFfmpeg(note) {
  let follow
  const onWait = () => {
    follow = setInterval(() => {
      const { text, seconds } = readProgress()
      note(`another set-up builds it, ${text} after ${seconds} s`)
    }, 1_000)
  }
  const build = () => {
    clearInterval(follow)
    return buildAsHolder(note)
  }
  return await withLock(buildLock(), build, { onWait })
}

async function buildAsHolder(note) {
  const wanted = await wantedBuild()
  if (wanted === undefined || wanted.name === readRecord().name) return false
  const dir = ownFfmpegDir()
  const began = Date.now()
  let noted = Promise.resolve()
  const tell = (text) => {
    note(text)
    noted = noted.then(() => recordProgress(began, text))
  }
  let folder
  try {
    await mkdir(dir, { recursive: true })
    await removeLeftovers(dir)
    folder = await mkdtemp(join(dir, '.build-'))
    const source = await build(folder, wanted.versions, tell)
    for (const program of ['ffprobe', 'ffmpeg']) {
      await rename(join(source, program), join(dir, program))
    }
    await recordBuild(wanted.name)
    return true
  } catch (error) {
    if (error instanceof InterruptedError) throw error
    await recordFailure(wanted.name, error.message).catch(() => {})
    return false
  } finally {
    await noted.catch(() => {})
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}
