import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import type { FilmFormat } from '../../../core/plan/formats.ts'
import { openFramePipe } from '../../../worker/encode/frame-pipe.ts'
import { joinFilm, takeThumbnail } from '../../../worker/encode/join.ts'
import { decodeClip } from '../../../worker/media/sound-decode.ts'
import { createNamedPipes } from '../../../worker/process/named-pipes.ts'
import {
  clipOf,
  encodeSegment,
  fine,
  lossless,
  movingFrame,
  never,
  outputOf,
  plain,
  workOf,
  writeWav,
} from './film-of.ts'

const small = { format: 'mp4' as const, width: 160, height: 90, frameRate: 30 }
const framemd5 = (file: string) =>
  outputOf('ffmpeg', '-i', file, '-map', '0:v', '-f', 'framemd5', '-')

async function filmOf(
  t: Parameters<typeof workOf>[0],
  {
    cuts,
    format = { ...small, encoder: lossless },
  }: { cuts: number[]; format?: Parameters<typeof encodeSegment>[0] & { format: FilmFormat } },
) {
  const work = await workOf(t)
  let start = 0
  const segments = []
  for (const [index, frames] of cuts.entries()) {
    segments.push(
      await encodeSegment(format, { dir: work.dir, index, start, frames }, (n) =>
        movingFrame(format, n),
      ),
    )
    start += frames
  }
  const file = await joinFilm({ ...format, segments, title: 'A film', clips: [] }, work)
  return { file, work, segments }
}

test('a film of four segments has the same frames as one segment', async (t) => {
  const whole = await filmOf(t, { cuts: [100] })
  const joined = await filmOf(t, { cuts: [29, 31, 7, 33] })
  t.deepEqual(await framemd5(joined.file), await framemd5(whole.file))
})

test('segments of one frame join anywhere, also as the whole film', async (t) => {
  for (const cuts of [[1], [1, 1], [1, 29], [29, 1], [12, 1, 17]]) {
    const frames = cuts.reduce((sum, count) => sum + count, 0)
    const whole = await filmOf(t, { cuts: [frames] })
    const joined = await filmOf(t, { cuts })
    const listed = await framemd5(joined.file)
    t.deepEqual(listed, await framemd5(whole.file), `frames ${cuts}`)
    t.is(String(listed).match(/^0,/gm)?.length, frames, `frames ${cuts}`)
  }
})

test('mov decodes one frame per frame time, also after segments without B-frames', async (t) => {
  for (const cuts of [[40], [1, 39], [1, 1, 38], [20, 1, 19], [39, 1]]) {
    const format = { ...small, format: 'mov' as const, encoder: { ...fine, gop: 20 } }
    const { file } = await filmOf(t, { cuts, format })
    const facts = 'stream=duration,avg_frame_rate:packet=pts,dts,duration'
    const flags = ['-show_entries', facts, '-select_streams', 'v', '-of', 'json', file]
    const { packets, streams } = JSON.parse((await outputOf('ffprobe', ...flags)).toString())
    const times = packets
      .map(({ pts }: { pts: number }) => pts)
      .toSorted((a: number, b: number) => a - b)
    t.deepEqual(
      times,
      Array.from({ length: 40 }, (_, n) => n * 512),
      `${cuts}`,
    )
    const first = packets[0].dts
    for (const [n, { dts, pts }] of packets.entries()) {
      t.is(dts, first + n * 512, `${cuts}: ${n}`)
      t.true(dts <= pts)
    }
    t.is(streams[0].avg_frame_rate, '30/1', `${cuts}`)
    t.is(Number(streams[0].duration).toFixed(3), (40 / 30).toFixed(3), `${cuts}`)
  }
})

test('joined films have exact, ordered timestamps, with B-frames over every seam', async (t) => {
  const format = { ...small, encoder: { ...fine, gop: 20 } }
  const { file } = await filmOf(t, { cuts: [29, 31, 7, 33], format })
  const probed = await outputOf(
    'ffprobe',
    '-show_packets',
    '-select_streams',
    'v',
    '-of',
    'json',
    file,
  )
  const { packets } = JSON.parse(probed.toString())
  t.is(packets.length, 100)
  const dts = packets.map((packet: { dts: number }) => packet.dts)
  t.deepEqual(
    dts,
    packets.map((_: unknown, i: number) => (i + dts[0] / 512) * 512),
  )
  const pts = packets
    .map((packet: { pts: number }) => packet.pts)
    .sort((a: number, b: number) => a - b)
  t.deepEqual(
    pts,
    pts.map((_: unknown, i: number) => i * 512),
  )
  t.true(packets.some((packet: { pts: number; dts: number }) => packet.pts !== packet.dts + 1024))
})

test('equal frames give equal bytes; the file names no program or time', async (t) => {
  const first = await readFile((await filmOf(t, { cuts: [20, 20] })).file)
  const second = await readFile((await filmOf(t, { cuts: [20, 20] })).file)
  t.true(first.equals(second))
  t.false(/Lavf|x264|Lavc/.test(first.toString('latin1')))
  t.true(first.indexOf('moov') < first.indexOf('mdat'))
})

test('a joined film has the packets, times and facts ffmpeg gives it', async (t) => {
  const format = { ...small, encoder: { ...fine, gop: 20 } }
  const { work, segments } = await filmOf(t, { cuts: [29, 31, 27, 33], format })
  const sound = join(work.dir, 'sound')
  const tone = ['-f', 'lavfi', '-i', `sine=440:r=48000:d=4`]
  await outputOf('ffmpeg', ...tone, '-c:a', 'aac', '-ac', '2', '-f', 'mp4', sound)
  const own = await joinFilm({ ...small, segments, title: 'Née', clips: [], sound }, work)
  const list = join(work.dir, 'list')
  await writeFile(list, segments.map(({ file }) => `file '${file}'\n`).join(''))
  const theirs = join(work.dir, 'theirs.mp4')
  const inputs = ['-f', 'concat', '-safe', '0', '-i', list, '-i', sound]
  const scales = ['-video_track_timescale', '15360', '-movie_timescale', '48000']
  const exact = ['-map_metadata', '-1', '-metadata', 'title=Née', '-fflags', '+bitexact']
  const copy = ['-map', '0:v', '-map', '1:a', '-c', 'copy']
  await outputOf('ffmpeg', ...inputs, ...copy, ...exact, ...scales, theirs)
  for (const shown of [
    ['-show_entries', 'packet=stream_index,pts,dts,duration,flags'],
    [
      '-show_entries',
      'stream=codec_name,profile,time_base,start_pts,duration_ts,nb_frames,r_frame_rate',
    ],
    ['-show_entries', 'format=duration,start_time:format_tags=title,major_brand'],
  ]) {
    const [seen, wanted] = await Promise.all(
      [own, theirs].map(async (file) =>
        String(await outputOf('ffprobe', ...shown, '-of', 'csv', file))
          .split('\n')
          .sort(),
      ),
    )
    t.deepEqual(seen, wanted)
  }
  t.deepEqual(await framemd5(own), await framemd5(theirs))
  const heard = (file: string) => outputOf('ffmpeg', '-i', file, '-map', '0:a', '-f', 'md5', '-')
  t.deepEqual(await heard(own), await heard(theirs))
})

test('pictures and sound alternate in the file: players read from one place', async (t) => {
  const { work, segments } = await filmOf(t, { cuts: [60, 60] })
  const sound = join(work.dir, 'sound')
  const tone = ['-f', 'lavfi', '-i', 'sine=440:r=48000:d=4']
  await outputOf('ffmpeg', ...tone, '-c:a', 'aac', '-ac', '2', '-f', 'mp4', sound)
  const film = await joinFilm({ ...small, segments, title: '', clips: [], sound }, work)
  const entries = ['-show_entries', 'packet=stream_index,dts_time,pos', '-of', 'csv=p=0']
  const packets = String(await outputOf('ffprobe', ...entries, film))
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number))
    .sort(([, , a = 0], [, , b = 0]) => a - b)
  let [pictures, heard] = [0, 0]
  for (const [stream, time = 0] of packets) {
    if (stream === 0) pictures = time
    else heard = time
    t.true(Math.abs(pictures - heard) < 0.6, `${pictures} s of pictures, ${heard} s of sound`)
  }
})

test('a segment whose tables lie is refused', async (t) => {
  for (const [box, at, number] of [
    // One sample larger than the file; a billion of them in one chunk; as many times.
    ['stsz', 12, 2 ** 31],
    ['stsc', 12, 2 ** 30],
    ['ctts', 8, 2 ** 30],
    ['stco', 8, 2 ** 30],
  ] as const) {
    const format = { ...small, encoder: fine }
    const { work, segments } = await filmOf(t, { cuts: [20], format })
    const file = segments[0]?.file ?? ''
    const bytes = await readFile(file)
    bytes.writeUInt32BE(number, bytes.indexOf(box) + 4 + at)
    await writeFile(file, bytes)
    const joined = joinFilm({ ...small, segments, title: '', clips: [] }, work)
    await t.throwsAsync(joined, { message: /must (lie in|tell of)/ }, box)
  }
})

test('a segment claiming endless samples, all of one size, is refused', async (t) => {
  const { work, segments } = await filmOf(t, { cuts: [1] })
  const [{ file, index } = { file: '', index: 0 }] = segments
  const bytes = await readFile(file)
  const count = 2 ** 32 - 1
  bytes.writeUInt32BE(count, bytes.indexOf('stsz') + 4 + 8)
  await writeFile(file, bytes)
  const film = { ...small, segments: [{ file, index, frames: count }], title: '', clips: [] }
  await t.throwsAsync(joinFilm(film, work), { message: /must tell of 3000000 samples/ })
})

test('a segment with a frame too few is refused', async (t) => {
  const { work, segments } = await filmOf(t, { cuts: [20, 20] })
  const wrong = segments.map((segment, i) => ({ ...segment, frames: segment.frames + i }))
  const film = { ...small, segments: wrong, title: '', clips: [] }
  await t.throwsAsync(joinFilm(film, work), { message: /Segment 1 must have 21 frames. Got 20/ })
})

test('segments of different encoder settings are not joined', async (t) => {
  const { work, segments } = await filmOf(t, { cuts: [20] })
  const at = { dir: work.dir, index: 1, start: 20, frames: 20 }
  const other = await encodeSegment({ ...small, encoder: { ...fine, preset: 'medium' } }, at, (n) =>
    movingFrame(small, n),
  )
  const film = { ...small, segments: [...segments, other], title: '', clips: [] }
  await t.throwsAsync(joinFilm(film, work), { message: /Segment 1 was encoded unlike/ })
})

const patches = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
  [0, 0, 0],
  [128, 128, 128],
  [230, 120, 40],
  [12, 200, 180],
]

test('colours come back within 3 of 255, and the stream says how', async (t) => {
  const work = await workOf(t)
  const format = { format: 'mp4' as const, width: 64, height: 64, frameRate: 8, encoder: fine }
  const at = { dir: work.dir, index: 0, start: 0, frames: patches.length }
  const segment = await encodeSegment(format, at, (n) => plain(format, patches[n] ?? []))
  const file = await joinFilm({ ...format, segments: [segment], title: '', clips: [] }, work)
  const decoded = await outputOf(
    'ffmpeg',
    '-i',
    file,
    '-vf',
    'scale=in_color_matrix=bt709:flags=accurate_rnd+full_chroma_int',
    '-pix_fmt',
    'rgb24',
    '-f',
    'rawvideo',
    '-',
  )
  for (const [n, patch] of patches.entries()) {
    const centre = n * 64 * 64 * 3 + (32 * 64 + 32) * 3
    for (const [i, value] of patch.entries()) {
      const seen = decoded[centre + i] ?? -1000
      t.true(Math.abs(seen - value) <= 3, `${patch} channel ${i} came back as ${seen}`)
    }
  }
  const entries = 'stream=color_range,color_space,color_transfer,color_primaries,pix_fmt'
  const tags = await outputOf('ffprobe', '-show_entries', entries, '-of', 'csv=p=0', file)
  t.is(tags.toString().trim(), 'yuv420p,tv,bt709,bt709,bt709')
})

test('players see an odd size unchanged; its last line keeps its colour', async (t) => {
  const work = await workOf(t)
  const format = { format: 'mp4' as const, width: 161, height: 91, frameRate: 10, encoder: fine }
  const at = { dir: work.dir, index: 0, start: 0, frames: 5 }
  const segment = await encodeSegment(format, at, () => plain(format, [250, 30, 60]))
  const file = await joinFilm({ ...format, segments: [segment], title: '', clips: [] }, work)
  const size = await outputOf(
    'ffprobe',
    '-show_entries',
    'stream=width,height',
    '-of',
    'csv=p=0',
    file,
  )
  t.is(size.toString().trim(), '161,91')
  const rgb = await outputOf(
    'ffmpeg',
    '-i',
    file,
    '-vf',
    'scale=in_color_matrix=bt709',
    '-frames:v',
    '1',
    '-pix_fmt',
    'rgb24',
    '-f',
    'rawvideo',
    '-',
  )
  t.is(rgb.length, 161 * 91 * 3)
  const corner = [...rgb.subarray(-3)]
  t.true(
    corner.every((value, i) => Math.abs(value - ([250, 30, 60][i] ?? 0)) <= 4),
    `the corner is ${corner}`,
  )
})

test('the thumbnail shows the requested frame', async (t) => {
  const work = await workOf(t)
  const format = { format: 'mp4' as const, width: 64, height: 64, frameRate: 8, encoder: fine }
  const at = { dir: work.dir, index: 0, start: 0, frames: patches.length }
  const segment = await encodeSegment(format, at, (n) => plain(format, patches[n] ?? []))
  for (const frame of [0, 3, 6, 7]) {
    const jpg = await takeThumbnail({ ...format, file: segment.file, frame }, work)
    const rgb = await outputOf('ffmpeg', '-i', jpg, '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-')
    const centre = [...rgb.subarray((32 * 64 + 32) * 3, (32 * 64 + 32) * 3 + 3)]
    t.true(
      centre.every((value, i) => Math.abs(value - (patches[frame]?.[i] ?? 0)) <= 6),
      `frame ${frame} is ${centre}, not ${patches[frame]}`,
    )
  }
})

test('clip sounds start at their sample and end with the pictures', async (t) => {
  const work = await workOf(t)
  const source = await writeWav(
    join(work.dir, 'tone'),
    { samples: 48_000 },
    (i) => Math.sin(i / 8) / 2,
  )
  const clip = clipOf({ at: 30_011, from: 4_800, length: 9_600 })
  const file = await decodeClip(
    { clip, index: 0, sound: { file: source, format: 'wav', field: '' } },
    work,
  )
  const at = { dir: work.dir, index: 0, start: 0, frames: 30 }
  const segment = await encodeSegment({ ...small, encoder: lossless }, at, (n) =>
    movingFrame(small, n),
  )
  const film = await joinFilm(
    { ...small, segments: [segment], title: '', clips: [{ clip, file }] },
    work,
  )
  const raw = await outputOf('ffmpeg', '-i', film, '-map', '0:a', '-f', 'f32le', '-')
  const pcm = new Float32Array(raw.buffer, raw.byteOffset, raw.length / 4)
  const entries = 'stream=codec_name,sample_rate,channels,duration_ts'
  const probed = await outputOf(
    'ffprobe',
    '-select_streams',
    'a',
    '-show_entries',
    entries,
    '-of',
    'csv=p=0',
    film,
  )
  t.is(probed.toString().trim(), 'aac,48000,2,48000')
  const level = (from: number, to: number) =>
    pcm.subarray(from * 2, to * 2).reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  t.true(level(0, 29_000) < 0.001)
  t.true(Math.abs(level(31_000, 39_000) - 0.5) < 0.03)
  t.true(level(41_000, 48_000) < 0.001)
})

test('a full disk and a refused encoder are distinguished', async (t) => {
  const work = await workOf(t)
  const format = { ...small, encoder: lossless }
  const pipes = createNamedPipes(work.dir)
  const fullDisk = join(work.dir, 'full')
  await symlink('/dev/full', fullDisk)
  const full = await openFramePipe(format, { output: fullDisk, pipes, signal: never })
  t.teardown(() => full.stop())
  const error = await t.throwsAsync<FarmError>(async () => {
    for (let n = 0; n < 300; n += 1) await full.write(movingFrame(format, n))
    await full.end()
  })
  t.is(error?.code, 'disk_full')
  const wrong = { ...format, encoder: { ...lossless, preset: 'no-such-preset' } }
  const refused = await openFramePipe(wrong, {
    output: join(work.dir, 'segment'),
    pipes,
    signal: never,
  })
  t.teardown(() => refused.stop())
  await t.throwsAsync(
    async () => {
      for (let n = 0; n < 300; n += 1) await refused.write(movingFrame(format, n))
    },
    { message: /preset/ },
  )
})
