import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { onPath, ownFfmpegDir } from './cache.mjs'
import { mustRun, run, SetupError, say } from './shell.mjs'
import { installPrograms } from './system.mjs'

/**
 * The farm's own ffmpeg: the system's, of the same source, with nothing in it but what the farm uses (decision
 * 0065). A distribution's loads some 200 libraries each time it starts.
 */

const libraries = {
  libx264: 'libx264-dev',
  libdav1d: 'libdav1d-dev',
  libvpx: 'libvpx-dev',
  libopus: 'libopus-dev',
  libmp3lame: 'libmp3lame-dev',
  libzimg: 'libzimg-dev',
  zlib: 'zlib1g-dev',
  // Headers alone: the driver is looked for when a GPU is used.
  ffnvcodec: 'libffmpeg-nvenc-dev',
}

const tools = ['build-essential', 'pkg-config', ...(process.arch === 'x64' ? ['nasm'] : [])]

/** What is asked for in worker/: the lists of formats and decoders there, the encoders of core/plan/formats.ts, the filters. */
const parts = {
  protocol: ['file', 'pipe'],
  indev: ['lavfi'],
  demuxer: [
    ...['mov', 'matroska', 'avi', 'gif', 'mp3', 'aac', 'wav', 'ogg', 'flac', 'concat'],
    ...['rawvideo', 'h264', 'mjpeg', 'image2', 'pcm_s16le', 'pcm_f32le'],
  ],
  muxer: [
    ...[
      'mp4',
      'mov',
      'ipod',
      'matroska',
      'webm',
      'avi',
      'gif',
      'mp3',
      'wav',
      'adts',
      'flac',
      'ogg',
    ],
    ...['rawvideo', 'h264', 'mjpeg', 'image2', 'image2pipe', 'pcm_s16le', 'pcm_f32le'],
    ...['null', 'framecrc', 'framemd5', 'hash', 'md5'],
  ],
  decoder: [
    ...[
      'h264',
      'hevc',
      'vp8',
      'vp9',
      'libvpx_vp8',
      'libvpx_vp9',
      'av1',
      'libdav1d',
      'mpeg4',
      'h263',
    ],
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
  hwaccel: ['h264_nvdec', 'hevc_nvdec', 'vp9_nvdec', 'av1_nvdec'],
  parser: [
    ...[
      'h264',
      'hevc',
      'vp8',
      'vp9',
      'av1',
      'mpeg4video',
      'h263',
      'mpegvideo',
      'mjpeg',
      'png',
      'gif',
    ],
    ...['aac', 'mpegaudio', 'opus', 'vorbis', 'flac', 'ac3', 'dnxhd'],
  ],
  filter: [
    ...['scale', 'zscale', 'format', 'crop', 'pad', 'setsar', 'setparams', 'overlay', 'colorkey'],
    ...['tonemap', 'alphaextract', 'alphamerge', 'hflip', 'vflip', 'transpose', 'rotate'],
    ...[
      'setpts',
      'settb',
      'fps',
      'tpad',
      'trim',
      'select',
      'split',
      'loop',
      'concat',
      'null',
      'color',
    ],
    ...['aformat', 'aresample', 'asetpts', 'asettb', 'atrim', 'atempo', 'amix', 'adelay', 'volume'],
    ...['pan', 'asplit', 'anull', 'anullsrc', 'sine'],
  ],
}

const configureWords = [
  ...['--toolchain=hardened', '--extra-version=farm', '--disable-debug', '--disable-doc'],
  ...['--disable-everything', '--disable-autodetect', '--disable-network', '--disable-ffplay'],
  ...['--enable-bsfs', '--enable-gpl', '--enable-nvenc', '--enable-nvdec', '--enable-cuvid'],
  ...Object.keys(libraries).map((name) => `--enable-${name}`),
  ...Object.entries(parts).map(([kind, names]) => `--enable-${kind}=${names.join(',')}`),
]

/** Names the build: another version of the system's ffmpeg, or another list above, is another one. */
async function wantedBuild() {
  const { code, stdout } = await run('dpkg-query', ['--show', 'ffmpeg'])
  if (code !== 0) return undefined
  const words = createHash('sha256').update(configureWords.join(' ')).digest('hex').slice(0, 16)
  // A package that was only compiled again has no source of its own.
  const version = String(stdout.trim().split('\t')[1]).replace(/\+b\d+$/, '')
  return `${version} ${words}`
}

const recordFile = () => join(ownFfmpegDir(), 'build')

function builtOrGivenUp() {
  return existsSync(recordFile()) ? readFileSync(recordFile(), 'utf8').split('\n')[0] : undefined
}

/** Where the system gets its packages from, for their sources: apt keeps whose signature counts. */
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
  return [
    ...[
      '-o',
      'Dir::Etc::sourcelist=/dev/null',
      '-o',
      `Dir::Etc::sourceparts=${join(folder, 'parts')}`,
    ],
    ...['-o', `Dir::State::lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${folder}`],
    ...['-o', 'APT::Sandbox::User='],
  ]
}

async function build(folder, version) {
  await installPrograms([...tools, ...Object.values(libraries)])
  const lists = await sourceLists(folder)
  // A place that has packages and no sources is nothing to stop for: what is asked of it next fails, or not.
  await run('apt-get', [...lists, '-q', 'update'])
  await mustRun('apt-get', [...lists, '-q', 'source', '--download-only', `ffmpeg=${version}`], {
    cwd: folder,
    sentence: `The source of ffmpeg ${version} could not be fetched.`,
  })
  const described = readdirSync(folder).find((name) => name.endsWith('.dsc'))
  // apt has checked it.
  const unpack = ['--no-check', '-x', String(described), 'source']
  await mustRun('dpkg-source', unpack, {
    cwd: folder,
    sentence: 'Its source could not be unpacked.',
  })
  const source = join(folder, 'source')
  await mustRun('./configure', configureWords, {
    cwd: source,
    sentence: 'Its source cannot be configured here.',
  })
  const make = [`-j${availableParallelism()}`, 'ffmpeg', 'ffprobe']
  await mustRun('make', make, { cwd: source, sentence: 'It could not be compiled.' })
  for (const program of ['ffmpeg', 'ffprobe']) {
    const ended = await run(join(source, program), ['-version'])
    if (ended.code !== 0) throw new SetupError(`${program} does not run: ${ended.tail}`)
  }
  return source
}

/** Answers whether it was built. */
async function install(wanted) {
  if (wanted === undefined) return false
  const dir = ownFfmpegDir()
  await mkdir(dir, { recursive: true })
  const folder = await mkdtemp(join(dir, '.build-'))
  try {
    const source = await build(folder, wanted.split(' ')[0])
    for (const program of ['ffprobe', 'ffmpeg']) {
      await rename(join(source, program), join(dir, program))
    }
    await writeFile(recordFile(), `${wanted}\n`)
    return true
  } catch (error) {
    if (!(error instanceof SetupError) || /interrupted/.test(error.message)) throw error
    // The system's does the same, and starts later: nothing to stop for.
    for (const program of ['ffprobe', 'ffmpeg']) await rm(join(dir, program), { force: true })
    await writeFile(recordFile(), `${wanted}\nnot built: ${error.message}\n`)
    say(`${error.message} The farm uses the system's ffmpeg. To try again, remove ${recordFile()}.`)
    return false
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The step that builds it, or undefined where it is there, could not be built before, another is named
 * (FARM_FFMPEG), or the system's ffmpeg is no package of Debian's kind.
 */
export async function ffmpegStep() {
  if (process.platform !== 'linux' || !onPath('apt-get') || process.env.FARM_FFMPEG)
    return undefined
  const wanted = await wantedBuild()
  const isOthers = wanted === undefined && onPath('ffmpeg') !== undefined
  if (isOthers || (wanted !== undefined && wanted === builtOrGivenUp())) return undefined
  return {
    name: "the farm's own ffmpeg",
    how: `into ${ownFfmpegDir()}: built from the source of the system's, with what the farm uses of it (minutes)`,
    // Not known before the system's is there.
    install: async () => install(wanted ?? (await wantedBuild())),
  }
}
