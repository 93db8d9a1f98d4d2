import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { onPath, ownFfmpeg, ownFfmpegDir } from './cache.mjs'
import { InterruptedError, mustRun, run, SetupError, say } from './shell.mjs'
import { installPrograms } from './system.mjs'

/**
 * Builds the farm's own ffmpeg: the system's source, with only the parts that the farm uses
 * (decision 0065). A distribution's build loads some 200 libraries each time it starts. Its x264 is
 * the system's, too, except for the huge pages that it asks for (decision 0071).
 */

const libraries = {
  libdav1d: 'libdav1d-dev',
  libvpx: 'libvpx-dev',
  libopus: 'libopus-dev',
  libmp3lame: 'libmp3lame-dev',
  libzimg: 'libzimg-dev',
  zlib: 'zlib1g-dev',
  // Headers only: the driver is loaded when a GPU is used.
  ffnvcodec: 'libffmpeg-nvenc-dev',
}

const tools = ['build-essential', 'pkg-config', ...(process.arch === 'x64' ? ['nasm'] : [])]

/**
 * Parts that worker/ uses: its lists of formats and decoders, the encoders of core/plan/formats.ts,
 * filters; framemd5 is for tests.
 */
const parts = {
  protocol: ['file', 'pipe'],
  indev: ['lavfi'],
  demuxer: [
    ...['mov', 'matroska', 'avi', 'gif', 'mp3', 'aac', 'wav', 'ogg', 'flac', 'concat', 'rawvideo'],
    ...['pcm_s16le', 'pcm_f32le'],
    // None of them may open a file (`-format_whitelist`); they only help to recognise a WAV.
    ...['spdif', 'ac3', 'eac3', 'dts', 'truehd', 'loas'],
  ],
  muxer: [
    ...['mp4', 'mov', 'webm', 'avi', 'wav', 'mjpeg', 'image2pipe', 'rawvideo', 'pcm_f32le', 'null'],
    ...['framecrc', 'framemd5'],
  ],
  decoder: [
    ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx_vp8', 'libvpx_vp9'],
    ...['av1', 'libdav1d', 'mpeg4', 'h263'],
    ...['mpeg1video', 'mpeg2video', 'mjpeg', 'prores', 'dnxhd', 'qtrle', 'png', 'gif', 'rawvideo'],
    ...['mp3float', 'mp3', 'aac', 'opus', 'libopus', 'vorbis', 'flac', 'alac', 'ac3', 'eac3'],
    ...['pcm_u8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le'],
    ...['pcm_f32le', 'pcm_f64le', 'pcm_alaw', 'pcm_mulaw'],
    ...['movtext', 'webvtt', 'subrip', 'ass', 'wrapped_avframe'],
  ],
  encoder: [
    ...['libx264', 'h264_nvenc', 'libvpx_vp9', 'mpeg4', 'mjpeg', 'ppm', 'rawvideo'],
    ...['aac', 'libopus', 'libmp3lame', 'flac', 'pcm_s16le', 'pcm_f32le', 'wrapped_avframe'],
  ],
  parser: [
    ...['h264', 'hevc', 'vp8', 'vp9', 'av1', 'mpeg4video', 'h263'],
    ...['mpegvideo', 'mjpeg', 'png', 'gif'],
    ...['aac', 'mpegaudio', 'opus', 'vorbis', 'flac', 'ac3', 'dnxhd'],
  ],
  filter: [
    ...['scale', 'zscale', 'format', 'crop', 'setsar', 'overlay', 'colorkey', 'tonemap', 'split'],
    ...['setpts', 'settb', 'fps', 'tpad', 'select', 'loop', 'trim', 'null', 'color'],
    ...['aformat', 'aresample', 'asetpts', 'atrim', 'anull', 'sine'],
    // Inserted by ffmpeg itself, for a track with a rotation.
    ...['transpose', 'hflip', 'vflip', 'rotate'],
  ],
}

const x264Words = [
  ...['--enable-static', '--enable-pic', '--bit-depth=8', '--disable-opencl'],
  ...['--disable-avs', '--disable-ffms', '--disable-lavf', '--disable-swscale', '--disable-lsmash'],
  '--disable-gpac',
]

/**
 * Turns off x264's request for huge pages. A segment's encoder is a process of its own, whose 200
 * MB are cleared once and used for a second; and a virtual machine returns free memory to its host,
 * large blocks first.
 */
const hugePages = { asked: '#define HAVE_THP 1', left: '#define HAVE_THP 0' }

/** Training inputs for the compiler's profile: flat colours, sharp edges and noise; a slow zoom. */
const lessons = {
  drawn: 'testsrc2=s=640x360:r=30:d=2,noise=alls=6:allf=t:all_seed=1',
  zoomed: 'mandelbrot=s=640x360:r=30,trim=duration=2',
}
const segmentWords = ['--preset', 'veryfast', '--crf', '23']
/** Settings of x264's training; its own list has seven more, which the farm does not use. */
const lessonWords = [
  `OPT0=${segmentWords.join(' ')}`,
  ...[1, 2, 3, 4, 5, 6, 7].map((other) => `OPT${other}=--frames 1`),
]

/** Relative to the sources, two folders down: an absolute path might contain a space. */
const builtDir = join('..', '..', 'built')

const configureWords = [
  ...['--toolchain=hardened', '--extra-version=farm', '--disable-debug', '--disable-doc'],
  ...['--disable-everything', '--disable-autodetect', '--disable-network', '--disable-ffplay'],
  ...['--enable-bsfs', '--enable-gpl', '--enable-libx264'],
  ...['--enable-cuda', '--enable-nvenc', '--enable-nvdec', '--enable-hwaccel=h264_nvdec'],
  ...Object.keys(libraries).map((name) => `--enable-${name}`),
  ...Object.entries(parts).map(([kind, names]) => `--enable-${kind}=${names.join(',')}`),
]

/** Returns dpkg's fields of an installed package; undefined where it is not installed. */
async function packageFacts(name) {
  const { code, stdout } = await run('dpkg-query', ['--status', name])
  const facts = Object.fromEntries(
    [...stdout.matchAll(/^(\w+): (.*)$/gm)].map(([, ...fact]) => fact),
  )
  return code === 0 && facts.Status === 'install ok installed' ? facts : undefined
}

/** Version of a package's source, which a mere rebuild does not change. */
function sourceVersion({ Source = '', Version }) {
  return /\((.*)\)/.exec(Source)?.[1] ?? Version
}

/** Finds the package of the library that the system's ffmpeg encodes with. */
async function encoderFacts() {
  const { stdout: linked } = await run('ldd', ['/usr/bin/ffmpeg'])
  const [, library] = /libx264\.so\.\d+ => (\S+)/.exec(linked) ?? []
  if (library === undefined || !existsSync(library)) return undefined
  const { stdout: owner } = await run('dpkg-query', ['--search', realpathSync(library)])
  const [, name] = /^(\S+): /.exec(owner) ?? []
  return name === undefined ? undefined : await packageFacts(name)
}

/**
 * Returns the build to make: `versions` of the sources, and `name`, which changes with the packages
 * of ffmpeg and x264 and with the words above. Undefined where the ffmpeg on PATH is not the
 * system's package.
 */
async function wantedBuild() {
  const path = onPath('ffmpeg')
  if (path !== undefined && realpathSync(path) !== '/usr/bin/ffmpeg') return undefined
  const [facts, x264] = await Promise.all([packageFacts('ffmpeg'), encoderFacts()])
  if (!facts || !x264) return undefined
  const ofX264 = [...x264Words, ...Object.values({ ...hugePages, ...lessons }), ...lessonWords]
  const all = [...configureWords, ...ofX264].join(' ')
  const words = createHash('sha256').update(all).digest('hex').slice(0, 16)
  const versions = { ffmpeg: sourceVersion(facts), x264: sourceVersion(x264) }
  return { versions, name: `${facts.Version} ${x264.Version} ${words}` }
}

const recordFile = () => join(ownFfmpegDir(), 'build')

/** Returns the name of the latest build, or of the one given up, and then why. */
function builtOrGivenUp() {
  const [name, failure] = existsSync(recordFile())
    ? readFileSync(recordFile(), 'utf8').trim().split('\n')
    : []
  return { name, failure }
}

/** True where our build came from another source than the system's current ffmpeg. */
export async function isOwnFfmpegOld() {
  const wanted = await wantedBuild()
  const { name, failure } = builtOrGivenUp()
  const isThere = ownFfmpeg() !== undefined && wanted !== undefined
  return isThere && (name !== wanted.name || failure !== undefined)
}

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
  await mustRun('./configure', [`--prefix=${builtDir}`, ...x264Words], {
    ...{ cwd: source, env, sentence: 'The source of x264 cannot be configured here.' },
  })
  await withoutHugePages(join(source, 'config.h'))
  const files = Object.keys(lessons).map((name) => `${name}.y4m`)
  for (const [at, picture] of Object.values(lessons).entries()) {
    const words = ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', picture, '-pix_fmt', 'yuv420p']
    await mustRun('ffmpeg', [...words, files[at]], {
      ...{ cwd: source, sentence: 'Pictures for x264 to learn from were not made.' },
    })
  }
  const learn = ['fprofiled', `VIDS=${files.join(' ')}`, ...lessonWords]
  for (const words of [learn, ['install-lib-static']]) {
    await mustRun('make', [`-j${availableParallelism()}`, ...words], {
      ...{ cwd: source, sentence: 'x264 could not be compiled.' },
    })
  }
  // make ignores a failed training run, so each input is encoded here again.
  for (const file of files) {
    await mustRun('./x264', [...segmentWords, file, '-o', '/dev/null'], {
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

async function build(folder, versions) {
  const missing = []
  for (const name of [...tools, ...Object.values(libraries)]) {
    if (!(await packageFacts(name))) missing.push(name)
  }
  if (missing.length > 0) await installPrograms(missing)
  const lists = await sourceLists(folder)
  // Repositories without sources may fail here; the next request shows whether that matters.
  await run('apt-get', [...lists, '-q', 'update'])
  const x264 = await unpackSource('x264', versions.x264, { folder, lists })
  const source = await unpackSource('ffmpeg', versions.ffmpeg, { folder, lists })
  await buildX264(x264)
  await mustRun('./configure', configureWords, {
    ...{ cwd: source, env: { PKG_CONFIG_PATH: join(builtDir, 'lib', 'pkgconfig') } },
    sentence: 'The source of ffmpeg cannot be configured here.',
  })
  const make = [`-j${availableParallelism()}`, 'ffmpeg', 'ffprobe']
  await mustRun('make', make, { cwd: source, sentence: 'ffmpeg could not be compiled.' })
  for (const program of ['ffmpeg', 'ffprobe']) {
    const ended = await run(join(source, program), ['-version'])
    if (ended.code !== 0) throw new SetupError(`${program} does not run: ${ended.tail}`)
  }
  return source
}

/** Returns whether it was built. On failure an existing build stays: running nodes use it. */
async function install() {
  const wanted = await wantedBuild()
  if (wanted === undefined) return false
  const dir = ownFfmpegDir()
  let folder
  try {
    await mkdir(dir, { recursive: true })
    folder = await mkdtemp(join(dir, '.build-'))
    const source = await build(folder, wanted.versions)
    for (const program of ['ffprobe', 'ffmpeg']) {
      await rename(join(source, program), join(dir, program))
    }
    await writeFile(recordFile(), `${wanted.name}\n`)
    return true
  } catch (error) {
    if (error instanceof InterruptedError) throw error
    // The system's ffmpeg does the same, with a slower start: no reason to stop.
    const instead = ownFfmpeg() ? 'the one that it had' : "the system's ffmpeg"
    say(`${error.message} The farm uses ${instead}. To try again, remove ${recordFile()}.`)
    await writeFile(recordFile(), `${wanted.name}\nnot built: ${error.message}\n`).catch(() => {})
    return false
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the step that builds it. Undefined where it is there, could not be built before,
 * FARM_FFMPEG names another, or the system's ffmpeg is no Debian package.
 */
export async function ffmpegStep() {
  if (process.platform !== 'linux' || !onPath('apt-get') || process.env.FARM_FFMPEG)
    return undefined
  const wanted = await wantedBuild()
  if (wanted ? wanted.name === builtOrGivenUp().name : onPath('ffmpeg')) return undefined
  return {
    // The system's ffmpeg is one of them.
    after: ['programs'],
    name: "the farm's own ffmpeg",
    how: `into ${ownFfmpegDir()}: built from the source of the system's, with what the farm uses of it (minutes)`,
    install,
  }
}
