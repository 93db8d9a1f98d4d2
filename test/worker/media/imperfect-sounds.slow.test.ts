import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { sniffFile } from '../../../runtime/media/sniff.ts'
import { readableMp4 } from '../../../worker/media/readable-clip.ts'
import { inspectSound } from '../../../worker/media/sound.ts'
import { decodeClip } from '../../../worker/media/sound-decode.ts'
import { clipOf, outputOf, workOf, writeWav } from '../encode/film-of.ts'

/**
 * Tests sounds as tools and services write them, which browsers play although they break their
 * format's rules.
 */

const field = 'audios[0].src'
const hertz = 500

async function look(t: ExecutionContext, file: string, { from = 0, length = 48_000 } = {}) {
  const work = await workOf(t)
  const sniffed = await sniffFile(file)
  if (sniffed.kind !== 'audio') throw new Error(`Got ${sniffed.kind}`)
  const sound = { file, field, format: sniffed.format }
  const facts = await inspectSound(sound, work)
  if (facts.kind !== 'audio') throw new Error(`Got ${facts.kind}`)
  const readable =
    sound.format === 'mp4' ? await readableMp4(sound, join(work.dir, 'readable')) : sound
  const clip = clipOf({ from, length })
  const pcm = await readFile(
    await decodeClip({ clip, sound: readable, index: 0, isInspected: true }, work),
  )
  const data = pcm.indexOf('data') + 8
  const channels = pcm.readUInt16LE(22)
  const samples = Array.from({ length: (pcm.length - data) / 4 / channels }, (_, i) =>
    pcm.readFloatLE(data + i * 4 * channels),
  )
  return { facts, samples }
}

/** Pitch of a tone from a sample on, for a tenth of a second; 0 = silence. */
function pitchAt(samples: readonly number[], at: number): number {
  const heard = samples.slice(at, at + 4_800)
  if (!heard.some((value) => Math.abs(value) > 0.01)) return 0
  const rises = heard.filter((value, i) => value >= 0 && (heard[i - 1] ?? 0) < 0)
  return rises.length * 10
}

const isTone = (pitch: number) => Math.abs(pitch - hertz) <= 20

const wave = (sample: number) => Math.sin((sample * hertz * 2 * Math.PI) / 24_000) * 0.5

async function wavOf(t: ExecutionContext, change: (bytes: Buffer, data: number) => Buffer) {
  const { dir } = await workOf(t)
  const file = await writeWav(join(dir, 'media'), { samples: 48_000, rate: 24_000 }, wave)
  const bytes = await readFile(file)
  await writeFile(file, change(bytes, bytes.indexOf('data')))
  return file
}

for (const [title, change] of [
  ['a size of 0xFFFFFFFF', (bytes, data) => withSize(bytes, data, 0xffff_ffff)],
  ['a size of 0xFFFFFFFF less its header', (bytes, data) => withSize(bytes, data, 0xffff_ffdb)],
  ['a size of 0x7FFFFFFF', (bytes, data) => withSize(bytes, data, 0x7fff_ffff)],
  ['a size of 0', (bytes, data) => withSize(bytes, data, 0)],
  ['ten milliseconds more than there are', (bytes, data) => withSize(bytes, data, 96_480)],
  ['a RIFF of size 0', (bytes) => withSize(bytes, 0, 0)],
  ['an odd chunk before its data', (bytes, data) => withChunk(bytes, data, Buffer.from('hello'))],
] as const satisfies readonly (readonly [string, (bytes: Buffer, data: number) => Buffer])[]) {
  test(`a WAV plays to the end of its file: ${title}`, async (t) => {
    const { facts, samples } = await look(t, await wavOf(t, change))
    t.true(Math.abs(facts.duration - 2) < 0.001, `${facts.duration}`)
    t.is(facts.warnings, undefined)
    t.true(isTone(pitchAt(samples, 24_000)))
  })
}

function withSize(bytes: Buffer, chunk: number, size: number): Buffer {
  bytes.writeUInt32LE(size, chunk + 4)
  return bytes
}

function withChunk(bytes: Buffer, at: number, content: Buffer): Buffer {
  const head = Buffer.from('abcd\0\0\0\0', 'latin1')
  head.writeUInt32LE(content.length, 4)
  const pad = Buffer.alloc(content.length % 2)
  return Buffer.concat([bytes.subarray(0, at), head, content, pad, bytes.subarray(at)])
}

async function make(t: ExecutionContext, args: readonly string[], source = 'sine=500:d=2') {
  const { dir } = await workOf(t)
  const file = join(dir, 'media')
  await outputOf('ffmpeg', '-f', 'lavfi', '-i', source, ...args, file)
  return file
}

for (const [title, args] of [
  ['RF64', ['-rf64', 'always', '-f', 'wav']],
  ['A-law', ['-c:a', 'pcm_alaw', '-f', 'wav']],
  ['six channels, which need the extensible header', ['-ac', '6', '-f', 'wav']],
  ['an MP3 within', ['-c:a', 'libmp3lame', '-f', 'wav']],
] as const) {
  test(`a WAV is sound: ${title}`, async (t) => {
    const { facts, samples } = await look(t, await make(t, args))
    t.true(Math.abs(facts.duration - 2) < 0.1)
    t.true(isTone(pitchAt(samples, 24_000)))
  })
}

for (const [format, args] of [
  ['mp3', ['-c:a', 'libmp3lame', '-f', 'mp3']],
  ['wav', ['-f', 'wav']],
  ['ogg', ['-c:a', 'libopus', '-page_duration', '100000', '-f', 'ogg']],
  ['flac', ['-f', 'flac']],
  ['mp4', ['-c:a', 'aac', '-movflags', '+faststart', '-f', 'mp4']],
  ['webm', ['-c:a', 'libopus', '-f', 'webm']],
] as const) {
  test(`a cut-off ${format} is used up to the cut, with a warning`, async (t) => {
    const file = await make(t, args)
    await truncate(file, Math.floor((await readFile(file)).length * 0.7))
    const { facts, samples } = await look(t, file)
    t.true(facts.duration > 0.5 && facts.duration < 1.7, `${facts.duration}`)
    t.true(isTone(pitchAt(samples, 12_000)))
    t.regex(String(facts.warnings), /cut off|damaged/)
    t.true(String(facts.warnings).includes(`${facts.duration.toFixed(2)} s`))
  })
}

test('cut-off AAC claims nothing and is played to its end', async (t) => {
  const file = await make(t, ['-c:a', 'aac', '-f', 'adts'])
  await truncate(file, Math.floor((await readFile(file)).length * 0.7))
  const { facts, samples } = await look(t, file)
  t.true(facts.duration > 1.2 && facts.duration < 1.6)
  t.is(facts.warnings, undefined)
  t.true(isTone(pitchAt(samples, 24_000)))
})

test('variable MP3s without a length header are not held to guesses', async (t) => {
  const args = ['-q:a', '9', '-write_xing', '0', '-f', 'mp3']
  const { facts } = await look(t, await make(t, args, 'sine=500:d=1,apad=pad_dur=5'))
  t.true(Math.abs(facts.duration - 6) < 0.1)
  t.is(facts.warnings, undefined)
})

test('damaged packets in the middle are left out, with a warning', async (t) => {
  const file = await make(t, ['-c:a', 'aac', '-f', 'mp4'])
  const bytes = await readFile(file)
  bytes.fill(0xff, bytes.length * 0.5, bytes.length * 0.5 + 100)
  await writeFile(file, bytes)
  const { facts, samples } = await look(t, file, { length: 90_000 })
  t.regex(String(facts.warnings), /damaged/)
  t.true(isTone(pitchAt(samples, 12_000)) && isTone(pitchAt(samples, 80_000)))
})

const sample = (name: string) => join(import.meta.dirname, 'sounds', name)

test('an MP3 that changes its rate on the way plays on', async (t) => {
  const { facts, samples } = await look(t, sample('spliced.mp3'))
  t.true(facts.duration > 4 && facts.duration < 4.2, `${facts.duration}`)
  t.is(facts.warnings, undefined)
  t.is(samples.length, 48_000)
  t.true(pitchAt(samples, 24_000) > 0)
  const later = await look(t, sample('spliced.mp3'), { from: 120_000 })
  t.is(later.samples.length, 48_000)
  t.true(pitchAt(later.samples, 24_000) > 0)
})

for (const name of ['art-gif.mp3', 'zeros.mp3']) {
  test(`the sample ${name} is sound`, async (t) => {
    const { facts, samples } = await look(t, sample(name))
    t.true(Math.abs(facts.duration - 2) < 0.05)
    t.true(pitchAt(samples, 24_000) > 0)
  })
}

/** An ID3v2.3 tag of one frame. */
function tag(frame: string, content: Buffer): Buffer {
  const head = Buffer.from(`ID3\u0003\0\0\0\0\0\0${frame}\0\0\0\0\0\0`, 'latin1')
  const size = content.length + 10
  for (const at of [0, 1, 2, 3]) head.writeUInt8((size >> ((3 - at) * 7)) & 0x7f, 6 + at)
  head.writeUInt32BE(content.length, 14)
  return Buffer.concat([head, content])
}

for (const [title, codec, before] of [
  ['an MP3 behind 20 kB that are no sound', 'mp3', Buffer.alloc(20_000, 0x55)],
  ['an MP3 behind 3 MB of a tag', 'mp3', tag('PRIV', Buffer.alloc(3_000_000))],
  [
    'an MP3 behind two tags and padding',
    'mp3',
    Buffer.concat([
      tag('PRIV', Buffer.alloc(9)),
      tag('PRIV', Buffer.alloc(300)),
      Buffer.alloc(2_000),
    ]),
  ],
  ['AAC behind a tag', 'adts', tag('PRIV', Buffer.alloc(500))],
  ['FLAC behind a tag', 'flac', tag('PRIV', Buffer.alloc(500))],
] as const) {
  test(`recognized as sound: ${title}`, async (t) => {
    const bare = codec === 'mp3' ? ['-id3v2_version', '0'] : []
    const file = await make(t, [...bare, '-f', codec])
    await writeFile(file, Buffer.concat([before, await readFile(file)]))
    const { facts, samples } = await look(t, file)
    t.true(Math.abs(facts.duration - 2) < 0.1, `${facts.duration}`)
    t.true(isTone(pitchAt(samples, 24_000)))
  })
}

for (const format of ['gif', 'png', 'jpeg', 'webp'] as const) {
  test(`an MP3 is sound whatever its cover is: ${format}`, async (t) => {
    const { default: sharp } = await import('sharp')
    const red = { create: { width: 32, height: 32, channels: 3 as const, background: 'red' } }
    const picture = await sharp(red).toFormat(format).toBuffer()
    const mime = Buffer.from(`\0image/${format}\0\u0003\0`, 'latin1')
    const file = await make(t, ['-id3v2_version', '0', '-f', 'mp3'])
    await writeFile(
      file,
      Buffer.concat([tag('APIC', Buffer.concat([mime, picture])), await readFile(file)]),
    )
    const { samples } = await look(t, file)
    t.true(isTone(pitchAt(samples, 24_000)))
  })
}

for (const [format, codec] of [
  ['mp4', 'aac'],
  ['webm', 'libopus'],
] as const) {
  test(`the track of sound that is marked as default is heard: ${format}`, async (t) => {
    const second = ['-f', 'lavfi', '-i', 'sine=1000:d=2', '-map', '0', '-map', '1', '-c:a', codec]
    const marked = ['-disposition:a:0', '0', '-disposition:a:1', 'default', '-f', format]
    const { samples } = await look(t, await make(t, [...second, ...marked]))
    t.is(Math.round(pitchAt(samples, 24_000) / 100), 10)
    const plain = ['-disposition:a:0', '0', '-disposition:a:1', '0', '-f', format]
    const first = await look(t, await make(t, [...second, ...plain]))
    t.true(isTone(pitchAt(first.samples, 24_000)))
  })
}

test('a fragmented m4a cut off within a fragment plays up to it', async (t) => {
  const args = ['-c:a', 'aac', '-frag_duration', '500000', '-movflags', 'empty_moov', '-f', 'mp4']
  const file = await make(t, args, 'sine=500:d=4')
  const bytes = await readFile(file)
  const cutAt = bytes.lastIndexOf('moof', Math.floor(bytes.length * 0.7))
  for (const past of [8, 40, 90]) {
    await writeFile(file, bytes.subarray(0, cutAt + past))
    const { facts, samples } = await look(t, file)
    t.true(facts.duration > 1.8 && facts.duration < 3, `${past}: ${facts.duration}`)
    t.regex(String(facts.warnings), /The sound is cut off/)
    t.true(isTone(pitchAt(samples, 24_000)))
  }
})

for (const [title, args] of [
  ['a faststart mp4', ['-c:v', 'libx264', '-c:a', 'aac', '-movflags', '+faststart', '-f', 'mp4']],
  [
    'a fragmented mp4',
    [
      ...['-c:v', 'libx264', '-g', '12', '-c:a', 'aac'],
      ...['-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4'],
    ],
  ],
  ['a webm', ['-c:v', 'libvpx', '-cpu-used', '8', '-c:a', 'libopus', '-f', 'webm']],
  ['an mkv', ['-c:v', 'libx264', '-c:a', 'aac', '-f', 'matroska']],
] as const) {
  test(`the sound of ${title}, cut off, is played up to the cut`, async (t) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc=s=160x90:d=4', '-pix_fmt', 'yuv420p']
    const file = await make(t, [...picture, ...args], 'sine=500:d=4')
    const { length } = await readFile(file)
    const work = await workOf(t)
    for (let share = 0.9; share > 0.4; share -= 0.05) {
      await truncate(file, Math.floor(length * share))
      const sniffed = await sniffFile(file)
      if (sniffed.kind !== 'audio') return t.fail()
      const sent = { file, field, format: sniffed.format }
      const sound = sniffed.format === 'mp4' ? await readableMp4(sent, `${file}-mended`) : sent
      const clip = clipOf({ from: 0, length: 4 * 48_000 })
      const pcm = await readFile(await decodeClip({ clip, sound, index: 0 }, work))
      const seconds = (pcm.length - pcm.indexOf('data')) / 4 / pcm.readUInt16LE(22) / 48_000
      t.true(seconds > 4 * share - 1.2 && seconds < 4 * share + 1, `${share}: ${seconds}`)
    }
    return t.pass()
  })
}

for (const [title, rate] of [
  ['a sixteenth', 3_000],
  ['1', 1],
  ['0', 0],
] as const) {
  test(`a WAV claiming ${title} as byte rate has its data’s length`, async (t) => {
    const file = await wavOf(t, (bytes) => {
      bytes.writeUInt32LE(rate, bytes.indexOf('fmt ') + 16)
      return bytes
    })
    const { facts, samples } = await look(t, file)
    t.true(Math.abs(facts.duration - 2) < 0.001, `${facts.duration}`)
    t.is(facts.warnings, undefined)
    t.true(isTone(pitchAt(samples, 24_000)))
  })
}

for (const codec of ['adpcm_ima_wav', 'adpcm_ms'] as const) {
  test(`a WAV as telephone systems record it is played: ${codec}`, async (t) => {
    const { facts, samples } = await look(t, await make(t, ['-c:a', codec, '-f', 'wav']))
    t.true(Math.abs(facts.duration - 2) < 0.06, `${facts.duration}`)
    t.is(facts.warnings, undefined)
    t.true(isTone(pitchAt(samples, 24_000)))
  })
}

test('a WAV whose codec the farm lacks is refused by its name', async (t) => {
  const file = await make(t, ['-c:a', 'adpcm_yamaha', '-f', 'wav'])
  const error = await t.throwsAsync(look(t, file))
  t.is(
    error?.message,
    'The sound must be of a codec that the farm decodes. Got adpcm_yamaha in a wav.',
  )
})
