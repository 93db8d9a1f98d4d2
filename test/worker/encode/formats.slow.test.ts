import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type FilmFormat, filmFormats } from '../../../core/plan/formats.ts'
import { audioSampleRate } from '../../../core/plan/plan.ts'
import { type JoinWork, joinFilm, takeThumbnail } from '../../../worker/encode/join.ts'
import {
  clipOf,
  encoderOf,
  encodeSegment,
  movingFrame,
  outputOf,
  plain,
  sandbox,
  workOf,
  writeWav,
} from './film-of.ts'

/** Tests the same promises for every kind of film file. */

const formats = Object.keys(filmFormats) as FilmFormat[]
const codecs = {
  mp4: { video: 'h264', sound: 'aac', muxer: 'mp4' },
  mov: { video: 'h264', sound: 'aac', muxer: 'mov' },
  webm: { video: 'vp9', sound: 'opus', muxer: 'webm' },
  avi: { video: 'mpeg4', sound: 'mp3', muxer: 'avi' },
} as const
const cuts = [29, 31, 7, 33]
const frames = 100

type FilmSize = { width: number; height: number; frameRate: number }
const small: FilmSize = { width: 160, height: 90, frameRate: 30 }

type FilmOptions = {
  size?: FilmSize
  cut?: number[]
  paint?: (n: number) => Buffer
  /** The sample at which a tone sets in. */
  click?: number
}

async function filmOf(t: ExecutionContext, format: FilmFormat, options: FilmOptions) {
  const work = await workOf(t)
  return { work, file: await filmIn(work, format, options) }
}

async function filmIn(
  work: JoinWork,
  format: FilmFormat,
  { size = small, cut = cuts, paint = (n: number) => movingFrame(size, n), click }: FilmOptions,
): Promise<string> {
  const segments = []
  let start = 0
  for (const [index, count] of cut.entries()) {
    const at = { dir: work.dir, index, start, frames: count }
    segments.push(await encodeSegment({ ...size, encoder: encoderOf[format] }, at, paint))
    start += count
  }
  const samples = Math.round((start * audioSampleRate) / size.frameRate)
  const clips =
    click === undefined ? [] : [{ clip: clipOf({ length: samples }), file: await tone(click) }]
  return joinFilm({ ...size, format, segments, title: 'A film', clips }, work)

  /** Writes a tone like a decoded clip: a WAV of float32. */
  async function tone(from: number): Promise<string> {
    const wav = await writeWav(join(work.dir, 'tone.wav'), { samples }, (i) =>
      i < from ? 0 : Math.cos((i - from) / 20) / 2,
    )
    await outputOf('ffmpeg', '-i', wav, '-c:a', 'pcm_f32le', '-f', 'wav', join(work.dir, 'tone'))
    return join(work.dir, 'tone')
  }
}

async function probe(file: string, ...args: string[]) {
  return JSON.parse(String(await outputOf('ffprobe', ...args, '-of', 'json', file)))
}

const framemd5 = async (file: string) =>
  String(await outputOf('ffmpeg', '-i', file, '-map', '0:v', '-f', 'framemd5', '-'))

const rgbOf = (file: string, ...args: string[]) => {
  const filter = 'scale=in_color_matrix=auto:flags=accurate_rnd+full_chroma_int'
  const raw = ['-pix_fmt', 'rgb24', '-f', 'rawvideo', '-']
  return outputOf('ffmpeg', '-i', file, '-vf', filter, ...args, ...raw)
}

/**
 * Film of 100 frames in four segments, with a tone from `click` on: made once for the tests that
 * look at it.
 */
const click = 60_011
const dir = await mkdtemp(join(tmpdir(), 'farm-test-'))
test.after.always(() => rm(dir, { recursive: true }))
const films = new Map<FilmFormat, Promise<string>>()

function filmFor(format: FilmFormat): Promise<string> {
  const film = films.get(format) ?? makeFilm(format)
  films.set(format, film)
  return film
}

async function makeFilm(format: FilmFormat): Promise<string> {
  const own = join(dir, format)
  await mkdir(own, { recursive: true })
  return filmIn({ dir: own, sandbox }, format, { click })
}

for (const format of formats) {
  const { video, sound, muxer } = codecs[format]

  test(`${format}: packets of a joined film have distinct times without gaps`, async (t) => {
    const file = await filmFor(format)
    const { packets } = await probe(file, '-show_packets', '-select_streams', 'v')
    t.is(packets.length, frames)
    const tick = format === 'webm' ? 0.0005 : 1e-6
    const shown = packets.map((p: { pts_time: string }) => Number(p.pts_time))
    shown.sort((a: number, b: number) => a - b)
    for (const [n, time] of shown.entries()) {
      t.true(Math.abs(time - n / small.frameRate) <= tick, `frame ${n} is shown at ${time}`)
    }
    const times = packets.map((p: { dts_time: string }) => Number(p.dts_time))
    t.true(times.every((time: number, i: number) => i === 0 || time > times[i - 1]))
    const { packets: heard } = await probe(file, '-show_packets', '-select_streams', 'a')
    const starts = heard.map((p: { pts_time: string }) => Number(p.pts_time))
    t.true(starts.every((time: number, i: number) => i === 0 || time > starts[i - 1]))
    t.true(starts[0] <= 0 && starts[0] > -0.025, `sound begins at ${starts[0]}`)
  })

  test(`${format}: codecs, length, title and frame rate are as requested`, async (t) => {
    const file = await filmFor(format)
    const probed = await probe(file, '-show_streams', '-show_format', '-count_frames')
    t.true(probed.format.format_name.split(',').includes(muxer), probed.format.format_name)
    t.is(probed.format.tags.title ?? probed.format.tags.TITLE, 'A film')
    t.like(probed.streams, [
      { codec_name: video, r_frame_rate: '30/1', nb_read_frames: String(frames) },
      { codec_name: sound, sample_rate: '48000', channels: 2 },
    ])
    t.like(probed.streams[0], { color_space: 'bt709', pix_fmt: 'yuv420p' })
    const seconds = frames / small.frameRate
    const most = format === 'avi' ? 1152 / audioSampleRate : 0.001
    const over = Number(probed.format.duration) - seconds
    t.true(over > -0.001 && over <= most, `it is ${probed.format.duration} s long`)
    if (format === 'avi') t.is(Number(probed.streams[0].duration).toFixed(4), seconds.toFixed(4))
  })

  test(`${format}: one segment or four, the same pictures at the same times`, async (t) => {
    const file = await filmFor(format)
    const frame = (n: number) => movingFrame(small, n)
    const decoded = (await framemd5(file)).split('\n').filter((line) => /^0/.test(line))
    t.is(decoded.length, frames)
    let start = 0
    for (const [index, count] of cuts.entries()) {
      const work = await workOf(t)
      const at = { dir: work.dir, index, start, frames: count }
      const alone = await encodeSegment({ ...small, encoder: encoderOf[format] }, at, frame)
      const own = (await framemd5(alone.file)).split('\n').filter((line) => /^0/.test(line))
      const hashes = (lines: string[]) => lines.map((line) => line.split(',').at(-1))
      t.deepEqual(hashes(decoded.slice(start, start + count)), hashes(own))
      start += count
    }
  })

  test(`${format}: the same film is the same bytes`, async (t) => {
    const [first, second] = await Promise.all([
      filmOf(t, format, { cut: [10, 10], click: 100 }),
      filmOf(t, format, { cut: [10, 10], click: 100 }),
    ])
    t.true((await readFile(first.file)).equals(await readFile(second.file)))
  })

  test(`${format}: a click is heard at its sample, with silence before it`, async (t) => {
    const file = await filmFor(format)
    const pcm = await samplesOf(file)
    const onset = pcm.findIndex((value) => Math.abs(value) > 0.25)
    // Codecs smear a step over a few samples.
    t.true(Math.abs(onset - click) <= 12, `the click is at ${onset}`)
    const before = Math.max(...pcm.subarray(0, click - 2_500).map(Math.abs))
    t.true(before < 0.002, `before it there is ${before}`)
  })

  test(`${format}: a tone stays intact over every seam of the pictures`, async (t) => {
    const { file } = await filmOf(t, format, { cut: [30, 30], click: 0 })
    const pcm = await samplesOf(file)
    // MP3 in AVI swells within its first packet, and codecs end softly; between, no seam is
    // audible.
    let difference = 0
    for (let i = 1_500; i < 94_000; i += 1) {
      difference = Math.max(difference, Math.abs((pcm[i] ?? 9) - Math.cos(i / 20) / 2))
    }
    t.true(difference < 0.03, `it is off by ${difference}`)
    t.true(pcm.length >= 96_000)
    if (format === 'mp4' || format === 'mov') {
      const { streams } = await probe(file, '-show_streams', '-select_streams', 'a')
      t.is(streams[0].duration_ts, 96_000)
    }
  })

  test(`${format}: players see an odd size unchanged, to its corner`, async (t) => {
    const size = { width: 161, height: 91, frameRate: 10 }
    const { file } = await filmOf(t, format, {
      size,
      cut: [3, 2],
      paint: () => plain(size, [250, 30, 60]),
    })
    const { streams } = await probe(file, '-show_streams')
    t.like(streams[0], { width: 161, height: 91 })
    const rgb = await rgbOf(file, '-frames:v', '1')
    t.is(rgb.length, 161 * 91 * 3)
    for (const at of [0, rgb.length - 3]) {
      const corner = [...rgb.subarray(at, at + 3)]
      const off = corner.map((value, i) => Math.abs(value - ([250, 30, 60][i] ?? 0)))
      t.true(Math.max(...off) <= 5, `the corner is ${corner}`)
    }
  })

  test(`${format}: the thumbnail shows the requested frame`, async (t) => {
    const size = { width: 64, height: 64, frameRate: 10 }
    const gray = (n: number) => [20 + n * 10, 20 + n * 10, 120]
    const work = await workOf(t)
    const at = { dir: work.dir, index: 0, start: 0, frames: 20 }
    const shown = { ...size, encoder: encoderOf[format] }
    const { file } = await encodeSegment(shown, at, (n) => plain(size, gray(n)))
    for (const frame of [0, 6, 13, 19]) {
      const jpg = await takeThumbnail({ ...size, file, frame }, work)
      const rgb = await outputOf('ffmpeg', '-i', jpg, '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-')
      const centre = [...rgb.subarray((32 * 64 + 32) * 3, (32 * 64 + 32) * 3 + 3)]
      const off = centre.map((value, i) => Math.abs(value - (gray(frame)[i] ?? 0)))
      t.true(Math.max(...off) <= 6, `frame ${frame} is ${centre}`)
    }
  })

  for (const frameRate of [1, 60]) {
    test(`${format}: ${frameRate} frames a second`, async (t) => {
      const size = { ...small, frameRate }
      const { file } = await filmOf(t, format, { size, cut: [3, 4] })
      const { packets } = await probe(file, '-show_packets', '-select_streams', 'v')
      const times = packets.map((p: { pts_time: string }) => Number(p.pts_time))
      times.sort((a: number, b: number) => a - b)
      t.is(times.length, 7)
      const late = times.map((time: number, n: number) => Math.abs(time - n / frameRate))
      t.true(Math.max(...late) <= 0.0005, `${times}`)
    })
  }
}

/** The film's left channel from its second 0, as a player plays it. */
async function samplesOf(file: string): Promise<Float32Array> {
  const args = [
    '-copyts',
    '-i',
    file,
    '-map',
    '0:a',
    '-af',
    'aresample=48000:first_pts=0,pan=mono|c0=c0',
  ]
  const raw = await outputOf('ffmpeg', ...args, '-f', 'f32le', '-')
  return new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.length))
}
