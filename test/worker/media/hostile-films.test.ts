import { writeFile } from 'node:fs/promises'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { inspectClip } from '../../../worker/media/clip.ts'
import { inspectSound } from '../../../worker/media/sound.ts'
import type { Sandbox } from '../../../worker/process/sandbox.ts'
import { sandbox, workOf } from '../encode/film-of.ts'
import { field, h264, look, run, scratch } from './clip-look.ts'
import { makeClip, upTo } from './numbered-clip.ts'

/**
 * Fails on any process: without one, refusing costs no time and no memory, and no clock is needed.
 */
const undecoded: Sandbox = {
  ...sandbox,
  run: async () => {
    throw new Error('A decoder was started')
  },
}

const head = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1')
const box = (type: string, ...inside: Buffer[]) => {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), ...inside])
  bytes.writeUInt32BE(bytes.length)
  return bytes
}
const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4)
  return bytes
}
const boxed = (path: readonly string[], inside: Buffer): Buffer =>
  path.reduceRight((inner, type) => box(type, inner), inside)
const track = ['moov', 'trak', 'mdia', 'minf', 'stbl']

const bombs: readonly (readonly [string, Buffer, RegExp])[] = [
  [
    '20 million samples of a byte each',
    boxed(track, box('stsz', numbers(0, 1, 20_000_000))),
    /claims more than it holds/,
  ],
  [
    'a table of sizes longer than the file',
    boxed(track, box('stsz', numbers(0, 0, 0x0fff_ffff))),
    /claims more than it holds/,
  ],
  [
    'a table of 3 million empty samples',
    boxed(track, box('stsz', numbers(0, 0, 3_100_000), Buffer.alloc(12_400_000))),
    /claims too many samples/,
  ],
  [
    'a fragment of 4 thousand million samples',
    boxed(['moof', 'traf'], box('trun', numbers(0, 0xffff_fff0))),
    /claims too many samples/,
  ],
  [
    'a hundred fragments of 100,000 samples',
    Buffer.concat(
      Array(100).fill(boxed(['moof', 'traf'], box('trun', numbers(0, 100_000)))) as Buffer[],
    ),
    /claims too many samples/,
  ],
  [
    'an edit list of 100,000 edits',
    boxed(['moov', 'trak', 'edts'], box('elst', numbers(0, 100_000), Buffer.alloc(1_200_000))),
    /has too many edits/,
  ],
  ['4,000 boxes in each other', boxed(Array(4_000).fill('moov'), Buffer.alloc(8)), /too deep/],
  [
    'a flood of boxes',
    Buffer.concat(Array(100_100).fill(box('free')) as Buffer[]),
    /has too many parts/,
  ],
]

for (const [what, bytes, message] of bombs) {
  test(`refused by its field before anything decodes it: an mp4 with ${what}`, async (t) => {
    const work = await workOf(t)
    const file = `${work.dir}/media`
    await writeFile(file, Buffer.concat([head, bytes]))
    const clip = { file, field, format: 'mp4', kind: 'video' } as const
    for (const inspect of [
      () => inspectClip(clip, { sandbox: undecoded }),
      () => inspectSound({ file, field, format: 'mp4' }, { ...work, sandbox: undecoded }),
    ]) {
      const error = await t.throwsAsync(inspect, { instanceOf: FarmError })
      t.is(error.code, 'media_invalid')
      t.is(error.field, field)
      t.regex(error.message, message)
    }
  })
}

test('plain sound has a sample for each moment: many, but no bomb', async (t) => {
  const work = await workOf(t)
  const file = `${work.dir}/media`
  const tone = ['-f', 'lavfi', '-i', 'sine=r=48000:d=80', '-c:a', 'pcm_s16le', '-f', 'mov', file]
  await run('ffmpeg', ['-v', 'error', ...tone])
  const facts = await inspectSound({ file, field, format: 'mp4' }, work)
  t.like(facts, { kind: 'audio', duration: 80 })
})

test('a film in fragments is a clip as any other', async (t) => {
  const path = await scratch(t)
  const args = [...h264, '-g', '10', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4']
  const file = await makeClip(path('clip.mp4'), { numbers: upTo(40), args })
  const { facts, numbers } = await look(file, 'mp4')
  t.like(facts, { frames: 40 })
  t.deepEqual(await numbers([0, 17, 39]), [0, 17, 39])
})
