import { readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import type { ClipFormat } from '../../../worker/media/clip-probe.ts'
import { inspectSound } from '../../../worker/media/sound.ts'
import { sandbox } from '../encode/film-of.ts'
import { field, h264, look, run, scratch } from './clip-look.ts'
import { clipSize, makeClip, upTo } from './numbered-clip.ts'

const openGops = 'open-gop=1:keyint=60:min-keyint=60:bframes=16:b-adapt=0:b-pyramid=none'
const codecs: readonly (readonly [string, ClipFormat, readonly string[]])[] = [
  ['one long GOP with B-frames', 'mp4', [...h264, '-g', '500', '-bf', '3']],
  ['open GOPs with 16 B-frames', 'mp4', [...h264, '-x264-params', openGops]],
  [
    'HEVC',
    'mp4',
    ['-c:v', 'libx265', '-x265-params', 'log-level=none:keyint=70', '-tag:v', 'hvc1'],
  ],
  ['VP9', 'webm', ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p', '-cpu-used', '8', '-g', '80']],
  ['H.264 in Matroska', 'webm', [...h264, '-g', '90', '-f', 'matroska']],
  ['H.264 in pieces', 'mp4', [...h264, '-g', '50', '-movflags', 'frag_keyframe+empty_moov']],
  ['only key frames', 'mp4', ['-c:v', 'mjpeg', '-q:v', '2']],
  ['key frames side by side', 'mp4', [...h264, '-force_key_frames', 'expr:lt(mod(n,25),2)']],
  ['MPEG-2 with open GOPs', 'mp4', ['-c:v', 'mpeg2video', '-q:v', '2', '-bf', '2', '-g', '25']],
]

for (const [title, format, args] of codecs) {
  test(`decoding may begin at any frame: ${title}`, async (t) => {
    const path = await scratch(t)
    const file = await makeClip(path(`clip.${format}`), { numbers: upTo(180), args })
    const { facts, numbers } = await look(file, format)
    t.like(facts, { ...clipSize, frames: 180, hasAlpha: false, hasAudio: false })
    t.deepEqual(facts.frameRate, [30, 1])
    const old = await look(file, format, { forgets: true })
    const around = (facts.keyFrames ?? []).slice(1, 4).flatMap((key) => [key - 1, key, key + 1])
    for (const first of new Set([0, 1, 29, 57, 60, 61, 89, 119, 121, 158, ...around])) {
      const frames = [first, first + 1, first + 2, first + 20]
      const shown = frames.map((frame) => Math.min(frame, 179))
      t.deepEqual(await numbers(frames), shown)
      t.deepEqual(await old.numbers(frames), shown)
    }
    t.deepEqual(await numbers([178, 179, 180, 200]), [178, 179, 179, 179])
    t.deepEqual(await numbers(upTo(180)), upTo(180))
  })
}

test('decoding starts at known key frames, and nothing earlier is read', async (t) => {
  const path = await scratch(t)
  const keys = ['-force_key_frames', 'expr:eq(mod(n,40),3)', '-sc_threshold', '0', '-bf', '2']
  const file = await makeClip(path('keys.mp4'), { numbers: upTo(180), args: [...h264, ...keys] })
  const whole = await look(file, 'mp4')
  t.deepEqual(whole.facts.keyFrames, [0, 43, 83, 123, 163])
  const entries = ['-select_streams', 'v', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0']
  const packets = (await run('ffprobe', ['-v', 'error', ...entries, file])).stdout.split('\n')
  const [size = 0, at = 0] = (packets[78] ?? '').split(',').map(Number)
  const bytes = await readFile(file)
  await writeFile(file, bytes.fill(0x5a, at + 4, at + size))
  t.deepEqual(await whole.numbers([83, 84, 100]), [83, 84, 100])
  const old = await look(file, 'mp4', { forgets: true })
  await t.throwsAsync(old.numbers([83, 84, 100]))
})

test('false key frames of periodic intra refresh are not reported', async (t) => {
  const path = await scratch(t)
  const refresh = ['-x264-params', 'intra-refresh=1:keyint=30:bframes=0']
  const file = await makeClip(path('refresh.mp4'), {
    numbers: upTo(90),
    args: [...h264, ...refresh],
  })
  const { facts, numbers } = await look(file, 'mp4')
  t.deepEqual(facts.keyFrames, [])
  t.deepEqual(await numbers([60, 61, 80]), [60, 61, 80])
})

test('frames of a variable rate show from their own moment', async (t) => {
  const path = await scratch(t)
  // Frame n begins at n² milliseconds.
  const retimed = ['-vf', 'settb=1/1000,setpts=N*N', '-fps_mode', 'passthrough']
  const args = [...retimed, '-enc_time_base', '1/1000', ...h264, '-bf', '2']
  const file = await makeClip(path('vfr.mp4'), { numbers: upTo(50), args })
  const { facts, numbers } = await look(file, 'mp4')
  t.deepEqual(facts.frameRate, [1000, 1])
  const moments = [0, 1, 3, 4, 8, 9, 1599, 1600, 1680, 1681, 2400, 2401]
  t.deepEqual(
    await numbers(moments),
    moments.map((ms) => Math.floor(Math.sqrt(ms))),
  )
  for (const ms of moments) t.deepEqual(await numbers([ms]), [Math.floor(Math.sqrt(ms))])
})

test('a gap in a constant rate holds the frame before', async (t) => {
  const path = await scratch(t)
  const gap = ['-vf', "select='not(between(n,40,69))'", '-fps_mode', 'passthrough']
  const file = await makeClip(path('gap.mp4'), { numbers: upTo(100), args: [...gap, ...h264] })
  const { facts, numbers } = await look(file, 'mp4')
  t.like(facts, { frames: 100 })
  for (const first of [38, 40, 55, 69]) {
    t.deepEqual(await numbers([first, 70]), [Math.min(first, 39), 70])
  }
})

for (const [title, turn, edge] of [
  ['lines', [], 'height'],
  ['columns, of a clip that is turned', ['-metadata:s:v', 'rotate=90'], 'width'],
] as const) {
  test(`an interlaced clip shows one moment a frame, not alternating ${title}`, async (t) => {
    const path = await scratch(t)
    const bar = "overlay=x='mod(n*8,120)',tinterlace=interleave_top,fieldorder=tff"
    const inputs = ['gray:s=160x96', 'white:s=24x96'].flatMap((each) => [
      ...['-f', 'lavfi', '-i', `color=${each}:r=50:d=1`],
    ])
    const fields = ['-flags', '+ilme+ildct', '-x264opts', 'tff=1', '-crf', '8']
    const coded = ['-filter_complex', bar, ...h264, ...fields, path('fields.mp4')]
    await run('ffmpeg', ['-v', 'error', ...inputs, ...coded])
    const copied = ['-i', path('fields.mp4'), '-c', 'copy', ...turn, path('clip.mp4')]
    await run('ffmpeg', ['-v', 'error', ...copied])
    const { facts, decode } = await look(path('clip.mp4'), 'mp4')
    t.is(facts.frames, 25)
    const [frame = Buffer.alloc(0)] = await decode([10])
    const [along, across] = edge === 'height' ? [facts.width, 1] : [1, facts.width]
    const count = facts[edge]
    const other = edge === 'height' ? facts.width : facts.height
    let combed = 0
    for (let at = 0; at < other; at += 1) {
      const gray = (line: number) => frame[(line * along + at * across) * 4] ?? 0
      for (let line = 1; line < count - 1; line += 1) {
        const off = 2 * gray(line) - gray(line - 1) - gray(line + 1)
        if (Math.abs(off) > 100) combed += 1
      }
    }
    t.is(combed, 0)
    const [alone = Buffer.alloc(0)] = await decode([11])
    const [, next = Buffer.alloc(0)] = await decode([0, 11])
    t.true(alone.equals(next))
  })
}

const sample = (name: string) => join(import.meta.dirname, 'clips', name)

test('a last frame without packet length is seen alone and after others', async (t) => {
  const { facts, decode } = await look(sample('hb-cfr.mp4'), 'mp4')
  t.like(facts, { frames: 90, frameRate: [30, 1] })
  const [before, last] = await decode([88, 89])
  const [alone] = await decode([89])
  t.true(last && alone?.equals(last) && !before?.equals(last))
})

test('a second frame after five seconds shows at its own moment', async (t) => {
  const { facts, decode } = await look(sample('gap-a.mp4'), 'mp4')
  t.like(facts, { frames: 151, frameRate: [30, 1] })
  const [first, held, second] = await decode([0, 149, 150])
  const [alone] = await decode([150])
  t.true(first && held?.equals(first) && !second?.equals(first))
  t.true(second && alone?.equals(second))
})

for (const [title, extension, args] of [
  ['Matroska', 'mkv', ['-c:v', 'libx264', '-bf', '0']],
  ['Matroska with B-frames', 'mkv', ['-c:v', 'libx264', '-bf', '3']],
  ['WebM', 'webm', ['-c:v', 'libvpx', '-cpu-used', '8']],
  ['mp4 in fragments', 'mp4', ['-c:v', 'libx264', '-movflags', 'frag_keyframe+empty_moov']],
] as const) {
  test(`every frame is seen where no packet tells its length: ${title}`, async (t) => {
    const path = await scratch(t)
    const untold = ['-bsf:v', 'setts=ts=TS:duration=0']
    const sparse = ['-vf', "select='not(mod(n,10))'", '-fps_mode', 'passthrough']
    const filters = [...sparse, ...args, '-pix_fmt', 'yuv420p', ...untold]
    const file = await makeClip(path(`untold.${extension}`), { numbers: upTo(41), args: filters })
    const { facts, numbers } = await look(file, extension === 'mp4' ? 'mp4' : 'webm')
    const rate = facts.frameRate[0] / facts.frameRate[1]
    const at = [0, 10, 20, 30, 40].map((frame) => Math.round((frame * rate) / 30))
    t.deepEqual(await numbers(at), [0, 10, 20, 30, 40])
    t.deepEqual(await numbers([facts.frames - 1]), [40])
  })
}

test('pictures beginning after the sound are held from the file’s first moment', async (t) => {
  const path = await scratch(t)
  const silent = await makeClip(path('silent.mp4'), { numbers: upTo(30), args: h264 })
  const sound = ['-f', 'lavfi', '-i', 'sine=d=2', '-itsoffset', '0.5', '-i', silent]
  const late = path('late.mp4')
  await run('ffmpeg', ['-v', 'error', ...sound, '-map', '0', '-map', '1', '-c:v', 'copy', late])
  const { facts, numbers } = await look(late, 'mp4')
  t.like(facts, { frames: 45, hasAudio: true })
  t.deepEqual(await numbers([0, 14, 15, 16, 44]), [0, 0, 0, 1, 29])
})

test('a late start in a Matroska file does not lengthen the film', async (t) => {
  const path = await scratch(t)
  const silent = await makeClip(path('silent.mp4'), { numbers: upTo(30), args: h264 })
  const sound = ['-f', 'lavfi', '-i', 'sine=d=3', '-itsoffset', '1.2', '-i', silent]
  const late = path('late.mkv')
  await run('ffmpeg', ['-v', 'error', ...sound, '-map', '0', '-map', '1', '-c:v', 'copy', late])
  const { facts, numbers } = await look(late, 'webm')
  t.like(facts, { frames: 66, hasAudio: true })
  t.deepEqual(await numbers([0, 35, 36, 37, 65]), [0, 0, 0, 1, 29])
  const later = path('later.mkv')
  const shift = ['-v', 'error', '-copyts', '-itsoffset', '5', '-i', late, '-c', 'copy', later]
  await run('ffmpeg', shift)
  t.like((await look(later, 'webm')).facts, { frames: 66 })
  const inspected = { file: later, format: 'webm', field } as const
  const heard = await inspectSound(inspected, { sandbox, dir: path('.') })
  t.true(heard.kind === 'audio' && Math.abs(heard.duration - 3) < 0.1, JSON.stringify(heard))
})

test('a clip’s sound is heard, whatever codec its pictures have', async (t) => {
  const path = await scratch(t)
  const codecs = [
    ['-c:v', 'prores_ks', '-c:a', 'pcm_s16le'],
    ['-c:v', 'qtrle', '-c:a', 'aac'],
    ['-c:v', 'dnxhd', '-profile:v', 'dnxhr_lb', '-pix_fmt', 'yuv422p', '-c:a', 'pcm_s24le'],
    ['-c:v', 'mpeg2video', '-c:a', 'aac'],
  ]
  for (const [i, codec] of codecs.entries()) {
    const file = path(`sounding-${i}.mov`)
    const size = ['-f', 'lavfi', '-i', 'testsrc=d=1:s=320x180:r=25']
    const tone = ['-f', 'lavfi', '-i', 'sine=d=1']
    await run('ffmpeg', ['-v', 'error', ...size, ...tone, ...codec, file])
    t.like((await look(file, 'mp4')).facts, { frames: 25, hasAudio: true }, file)
    const heard = await inspectSound({ file, format: 'mp4', field }, { sandbox, dir: path('.') })
    t.true(heard.kind === 'audio' && Math.abs(heard.duration - 1) < 0.1, JSON.stringify(heard))
  }
})

test('a sideways clip stands upright, and non-square pixels become square', async (t) => {
  const path = await scratch(t)
  const flat = await makeClip(path('flat.mp4'), { numbers: [5], args: h264 })
  const turned = path('turned.mp4')
  const rotate = ['-metadata:s:v:0', 'rotate=270', '-c', 'copy', turned]
  await run('ffmpeg', ['-v', 'error', '-i', flat, ...rotate])
  const portrait = await look(turned, 'mp4')
  t.like(portrait.facts, { width: 90, height: 160 })
  const [rgba = Buffer.alloc(0)] = await portrait.decode([0])
  // Bits 0 and 2 of 5 are white: the row of blocks has become a column.
  const column = upTo(10).map((bit) => (portrait.at(rgba, 0.75, (bit + 0.5) / 10)[0] ?? 0) > 128)
  t.deepEqual(
    [...column.entries()].filter(([, isWhite]) => isWhite).map(([bit]) => bit),
    [0, 2],
  )
  const wide = await makeClip(path('wide.mp4'), {
    numbers: [5],
    args: ['-vf', 'setsar=2', ...h264],
  })
  const square = await look(wide, 'mp4')
  t.like(square.facts, { width: 320, height: 90 })
  t.deepEqual(await square.numbers([0]), [5])
})

test('odd sizes keep every pixel', async (t) => {
  const path = await scratch(t)
  const crop = ['-vf', 'crop=159:89:0:0:exact=1', '-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p']
  const file = await makeClip(path('odd.webm'), { numbers: upTo(5), args: crop })
  const { facts, numbers } = await look(file, 'webm')
  t.like(facts, { width: 159, height: 89 })
  t.deepEqual(await numbers(upTo(5)), upTo(5))
})

test('a clip that changes its size halfway keeps the first', async (t) => {
  const path = await scratch(t)
  const vp9 = ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p', '-cpu-used', '8']
  const one = await makeClip(path('one.webm'), { numbers: upTo(20), args: vp9 })
  const small = ['-vf', 'scale=80:44', ...vp9]
  const other = await makeClip(path('two.webm'), { numbers: upTo(40).slice(20), args: small })
  await writeFile(path('list'), `file ${one}\nfile ${other}\n`)
  const both = path('both.webm')
  const list = ['-f', 'concat', '-safe', '0', '-i', path('list')]
  await run('ffmpeg', ['-v', 'error', ...list, '-c', 'copy', both])
  const { facts, numbers } = await look(both, 'webm')
  t.like(facts, clipSize)
  t.deepEqual(await numbers([18, 19, 20, 21, 39]), [18, 19, 20, 21, 39])
})

test('a damaged middle breaks the decoder there, and not before', async (t) => {
  const path = await scratch(t)
  const file = await makeClip(path('clip.mp4'), { numbers: upTo(200), args: h264 })
  const bytes = await readFile(file)
  const middle = bytes.indexOf('mdat') + Math.floor(bytes.length / 2)
  bytes.fill(0x5a, middle, middle + 1500)
  await writeFile(file, bytes)
  const { numbers } = await look(file, 'mp4')
  t.deepEqual(await numbers([0, 30, 60]), [0, 30, 60])
  await t.throwsAsync(() => numbers(upTo(200)), { message: /exit code 1/ })
})

test('a clip shorter than its header says is used with a warning', async (t) => {
  const path = await scratch(t)
  const file = await makeClip(path('clip.mkv'), { numbers: upTo(90), args: h264 })
  const bytes = await readFile(file)
  bytes.write('00:00:09', bytes.indexOf('00:00:03.'), 'latin1')
  await writeFile(file, bytes)
  const { facts, numbers } = await look(file, 'webm')
  t.regex(String(facts.warnings), /cut off.*9\.00 s; the 3\.00 s that are there are used/)
  t.is(facts.frames, 90)
  t.deepEqual(await numbers([89]), [89])
})

async function cutAt(file: string, share: number): Promise<string> {
  const { size } = await stat(file)
  await truncate(file, Math.floor(size * share))
  return file
}

const sound = ['-f', 'lavfi', '-i', 'sine=d=6', '-map', '0:V', '-map', '1:a']
const fragments = ['-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4']
const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-g', '60']
/** Containers, and the length that the header of a cut-off one says. */
const cutOff: readonly (readonly [string, ClipFormat, readonly string[], string | undefined])[] = [
  ['a webm of a pipe', 'webm', [...vp8, '-f', 'webm', 'pipe:1'], undefined],
  ['a webm', 'webm', [...vp8, '-f', 'webm'], '6.0'],
  ['a webm with sound', 'webm', [...sound, ...vp8, '-c:a', 'libopus', '-f', 'webm'], '6.0'],
  ['a live webm', 'webm', [...vp8, '-f', 'webm', '-live', '1'], undefined],
  ['an mkv with B-frames', 'webm', [...h264, '-bf', '3', '-f', 'matroska'], '6.0'],
  ['a faststart mp4', 'mp4', [...h264, '-bf', '3', '-movflags', '+faststart', '-f', 'mp4'], '6.00'],
  [
    'a faststart mp4 with sound',
    'mp4',
    [...sound, ...h264, '-g', '500', '-c:a', 'aac', '-movflags', '+faststart', '-f', 'mp4'],
    '6.00',
  ],
  ['a fragmented mp4', 'mp4', [...h264, '-g', '60', '-bf', '3', ...fragments], undefined],
  [
    'a fragmented mp4 with sound',
    'mp4',
    [...sound, ...h264, '-g', '30', '-c:a', 'aac', ...fragments],
    undefined,
  ],
]

for (const [title, format, args, claimed] of cutOff) {
  test(`${title}, cut off, is used up to its last whole frame`, async (t) => {
    const path = await scratch(t)
    const toPipe = args.at(-1) === 'pipe:1'
    for (const share of [0.4, 0.55, 2 / 3, 0.8, 0.91]) {
      const file = path(`cut-${share}`)
      await makeClip(file, { numbers: upTo(180), args: toPipe ? args.slice(0, -1) : args, toPipe })
      const { facts, numbers } = await look(await cutAt(file, share), format)
      const { frames } = facts
      t.true(frames > 180 * share - 60 && frames < 180 * share + 40, `${share}: ${frames}`)
      const message = String(facts.warnings)
      t.regex(
        message,
        claimed ? /^The clip is cut off\. The header says/ : /^The clip is cut off\. /,
      )
      if (claimed) t.true(message.includes(` ${claimed}`), message)
      const [, seconds] = / ([\d.]+) s that are there are used, and the last/.exec(message) ?? []
      // Sound may begin before the first frame, which is then held.
      const lead = frames - Math.round(Number(seconds) * 30)
      t.true(lead === 0 || (lead === 2 && facts.hasAudio), `${share}: ${lead}`)
      const shown = upTo(frames).map((frame) => Math.max(0, frame - lead))
      const all = await numbers(upTo(frames))
      // The last B-frames may be missing, between frames that are there.
      t.deepEqual(all.slice(0, -4), shown.slice(0, -4))
      t.is(all.at(-1), shown.at(-1))
      t.deepEqual(await numbers([frames - 1, frames + 20]), [shown.at(-1), shown.at(-1)])
    }
  })
}

const refused: readonly (readonly [
  string,
  ClipFormat,
  (path: (name: string) => string) => Promise<string>,
  RegExp,
])[] = [
  [
    'an mp4 that is cut off before its tables',
    'mp4',
    async (path) => cutAt(await makeClip(path('cut.mp4'), { numbers: upTo(90), args: h264 }), 0.6),
    /must be whole, undamaged/,
  ],
  [
    'an mp4 whose tables tell of more than its boxes',
    'mp4',
    async (path) => {
      const args = [...h264, '-movflags', '+faststart']
      const file = await makeClip(path('lies.mp4'), { numbers: upTo(90), args })
      await cutAt(file, 0.6)
      const bytes = await readFile(file)
      const media = bytes.indexOf('mdat') - 4
      bytes.writeUInt32BE(bytes.length - media, media)
      await writeFile(file, bytes)
      return file
    },
    /must be whole, undamaged/,
  ],
  [
    'a webm that is cut off in its header',
    'webm',
    async (path) => {
      const args = ['-c:v', 'libvpx', '-cpu-used', '8']
      return cutAt(await makeClip(path('cut.webm'), { numbers: upTo(90), args }), 0.01)
    },
    /must be whole, undamaged/,
  ],
  [
    'a playlist that poses as an mp4',
    'mp4',
    async (path) => {
      await writeFile(path('list.mp4'), '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')
      return path('list.mp4')
    },
    /must be whole, undamaged/,
  ],
  [
    'a sound with a cover',
    'mp4',
    async (path) => {
      const cover = ['-f', 'lavfi', '-i', 'color=s=64x64:d=0.1']
      const tone = ['-f', 'lavfi', '-i', 'sine=d=1']
      const attached = ['-map', '0', '-map', '1', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic']
      await run('ffmpeg', ['-v', 'error', ...cover, ...tone, ...attached, '-f', 'mp4', path('m4a')])
      return path('m4a')
    },
    /must hold a track of moving pictures. Got a mp4 without one/,
  ],
  ...(['mp4', 'webm'] as const).map(
    (format) =>
      [
        `a ${format} with sound alone`,
        format,
        async (path: (name: string) => string) => {
          const tone = ['-f', 'lavfi', '-i', 'sine=d=1', '-f', format, path('sound')]
          await run('ffmpeg', ['-v', 'error', ...tone])
          return path('sound')
        },
        /must hold a track of moving pictures/,
      ] as const,
  ),
  ...(['mp4', 'webm'] as const).map(
    (format) =>
      [
        `a ${format} of 32 million pixels a frame`,
        format,
        async (path: (name: string) => string) => {
          const vpx = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8']
          const codec = format === 'mp4' ? [...h264, '-preset', 'ultrafast'] : vpx
          const args = ['-vf', 'scale=8000:4000', ...codec]
          return makeClip(path(`large.${format}`), { numbers: [1], args })
        },
        /must have at most 10 million pixels a frame .* Got 8000 x 4000/,
      ] as const,
  ),
]

test('a cut-off GIF plays its whole frames, with a warning', async (t) => {
  const path = await scratch(t)
  const file = await makeClip(path('cut.gif'), { numbers: upTo(5), args: [] })
  const bytes = await readFile(file)
  await writeFile(file, bytes.subarray(0, bytes.length * 0.6))
  const { facts } = await look(file, 'gif')
  t.true(facts.frames >= 1)
  t.regex(String(facts.warnings), /is cut off/)
})

for (const [title, format, make, message] of refused) {
  test(`refused with its field: ${title}`, async (t) => {
    const file = await make(await scratch(t))
    const error = await t.throwsAsync(() => look(file, format), { instanceOf: FarmError })
    t.is(error.code, /at most/.test(error.message) ? 'media_too_large' : 'media_invalid')
    t.is(error.field, field)
    t.regex(error.message, message)
  })
}
