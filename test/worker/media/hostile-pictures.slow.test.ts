import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import { sniffFile } from '../../../runtime/media/sniff.ts'
import { inspectPicture } from '../../../worker/media/picture.ts'
import type { Sandbox } from '../../../worker/process/sandbox.ts'
import { sandbox } from '../encode/film-of.ts'
import {
  avifClaiming,
  cutOff,
  damagedJpeg,
  gifFrame,
  gifOf,
  jpegClaiming,
  jpegOfManyScans,
  pngChunk,
  pngOf,
  svgz,
  tenByTen,
  webpLying,
  zeros,
} from './hostile-pictures.ts'
import { pictureWorkOf } from './picture-work.ts'

const field = 'scenes[3].visuals[1].src'

/** Inspects bytes as ingest does; `fence`: sandbox of the decoder. */
async function inspect(t: ExecutionContext, bytes: Buffer, fence: Sandbox) {
  const work = await pictureWorkOf(t, fence)
  const file = join(work.dir, 'media')
  await writeFile(file, bytes)
  const sniffed = await sniffFile(file)
  if (sniffed.kind !== 'image') return sniffed.kind
  return inspectPicture({ file, digest: 'd', format: sniffed.format, field }, work)
}

/**
 * Fails on any process: without one, refusing costs no time and no memory, and no clock is needed.
 */
const undecoded: Sandbox = {
  ...sandbox,
  commandLine: () => {
    throw new Error('A decoder was started')
  },
}

type Case = [what: string, make: () => Buffer | Promise<Buffer>, message: RegExp]
const tooLarge = /at most 50 million pixels and edges of 16384 px/
const isCutOff = /file is cut off/
const tooMany = /file has too many parts/

const byTheirBlocks: Case[] = [
  [
    'a whole PNG of 16000 x 16000 px',
    () => pngOf({ width: 16_000, height: 16_000, grey: 1 }, pngChunk('IDAT', zeros(31))),
    tooLarge,
  ],
  [
    'a PNG of 100000 x 1 px',
    () => pngOf({ width: 100_000, height: 1 }, pngChunk('IDAT', zeros(1))),
    tooLarge,
  ],
  ['a JPEG of 65535 x 65535 px', () => jpegClaiming(65_535, 65_535), tooLarge],
  ['a GIF of 65535 x 65535 px', () => gifOf(65_535, 65_535, gifFrame(1, 1)), tooLarge],
  ['a GIF frame of 65535 x 65535 px', () => gifOf(1, 1, gifFrame(65_535, 65_535)), tooLarge],
  ['an AVIF of 60000 x 60000 px', () => avifClaiming(60_000, 60_000), tooLarge],
  ['a JPEG of 49 million pixels in 600 bytes', () => jpegClaiming(7_000, 7_000), /too short/],
  ['a cut off WebP', () => cutOff('webp', 0.6), isCutOff],
  ['a cut off AVIF', () => cutOff('avif', 0.6), isCutOff],
  [
    'a flood of PNG chunks',
    () => {
      const chunk = pngChunk('tEXt', Buffer.from('k\0v'))
      return pngOf({ width: 10, height: 10 }, ...Array<Buffer>(100_000).fill(chunk), tenByTen())
    },
    tooMany,
  ],
  ['a flood of JPEG scans', jpegOfManyScans, tooMany],
  [
    'a flood of GIF frames',
    () => gifOf(1, 1, ...Array<Buffer>(5_000).fill(gifFrame(1, 1))),
    tooMany,
  ],
  [
    'a flood of JPEG segments before the size',
    async () => {
      const jpeg = await jpegClaiming(16, 16)
      const segment = Buffer.from([0xff, 0xe1, 0, 2])
      const flood = Array<Buffer>(10_000).fill(segment)
      return Buffer.concat([jpeg.subarray(0, 2), ...flood, jpeg.subarray(2)])
    },
    /damaged jpeg/,
  ],
  ['a PNG without a size', () => pngOf({ width: 0, height: 10 }, tenByTen()), /damaged png/],
  [
    'a PNG signature before an SVG',
    () => Buffer.concat([pngOf({ width: 1, height: 1 }).subarray(0, 8), Buffer.from('<svg/>')]),
    /damaged png/,
  ],
]

for (const [what, make, message] of byTheirBlocks) {
  test(`${what} is refused by its field before anything decodes it`, async (t) => {
    const error = await t.throwsAsync<FarmError>(inspect(t, await make(), undecoded))
    t.is(error?.field, field)
    t.is(error?.code, message === tooLarge ? 'media_too_large' : 'media_invalid')
    t.regex(error?.message ?? '', message)
  })
}

const byTheDecoder: Case[] = [
  [
    'a PNG with fewer pixels than it says, all black',
    () => pngOf({ width: 7_000, height: 7_000, grey: 1 }, pngChunk('IDAT', zeros(1))),
    /damaged png/,
  ],
  ['a JPEG with damaged bytes', damagedJpeg, /damaged jpeg/],
  ['a WebP that says 10 x 10 and holds 9000 x 9000 px', webpLying, /damaged webp/],
  ['an AVIF that says 10 x 10 and holds 64 x 64 px', () => avifClaiming(10, 10), /damaged avif/],
]

for (const [what, make, message] of byTheDecoder) {
  test(`${what} is refused by its field inside the sandbox`, async (t) => {
    const error = await t.throwsAsync<FarmError>(inspect(t, await make(), sandbox))
    t.is(error?.field, field)
    t.is(error?.code, 'media_invalid')
    t.regex(error?.message ?? '', message)
  })
}

const flawed: [what: string, make: () => Buffer | Promise<Buffer>, warning: RegExp][] = [
  ['a cut off PNG', () => cutOff('png', 0.6), /cut off. The (59|60) % .* the rest is clear/],
  ['a cut off JPEG', () => cutOff('jpeg', 0.6), /cut off. The (59|6\d) % .* the rest is clear/],
  ['a cut off GIF', () => cutOff('gif', 0.6), /cut off. The (59|60) % .* the rest is clear/],
  [
    'the first half of a JPEG with an end put to it',
    async () => Buffer.concat([await cutOff('jpeg', 0.5), Buffer.from([0xff, 0xd9])]),
    /damaged. The (49|5\d) % /,
  ],
]

for (const [what, make, warning] of flawed) {
  test(`${what} is used as far as it goes, with a warning`, async (t) => {
    const facts = await inspect(t, await make(), sandbox)
    if (typeof facts === 'string' || facts.kind !== 'image') return t.fail()
    t.is(facts.warnings?.length, 1)
    t.regex(facts.warnings?.[0] ?? '', warning)
  })
}

const whole: [what: string, make: () => Buffer | Promise<Buffer>][] = [
  [
    'a PNG without its last chunk',
    () => pngOf({ width: 10, height: 10 }, tenByTen()).subarray(0, -12),
  ],
  ['a JPEG without its last byte', async () => (await cutOff('jpeg', 1)).subarray(0, -1)],
  ['a JPEG without its end', async () => (await cutOff('jpeg', 1)).subarray(0, -2)],
]

for (const [what, make] of whole) {
  test(`${what} has all its pixels and no warning`, async (t) => {
    const facts = await inspect(t, await make(), sandbox)
    if (typeof facts === 'string') return t.fail()
    t.like(facts, { kind: 'image', hasAlpha: false, warnings: undefined })
  })
}

for (const [what, ...chunks] of [
  ['a comment', pngChunk('zTXt', Buffer.concat([Buffer.from('k\0\0'), zeros(64)])), tenByTen()],
  ['a profile', pngChunk('iCCP', Buffer.concat([Buffer.from('k\0\0'), zeros(64)])), tenByTen()],
  ['pixels beyond its size', pngChunk('IDAT', zeros(64))],
] as [string, ...Buffer[]][]) {
  test(`a PNG with ${what} of 64 MB is read without it`, async (t) => {
    const facts = await inspect(t, pngOf({ width: 10, height: 10 }, ...chunks), sandbox)
    t.like(facts, { kind: 'image', width: 10, height: 10 })
  })
}

for (const [what, before, after] of [
  ['behind its end', '', 'a camera’s own notes'],
  ['before its end', '\0\0', ''],
] as const) {
  test(`a JPEG with other bytes ${what} is whole`, async (t) => {
    const jpeg = await cutOff('jpeg', 1)
    const [data, end] = [jpeg.subarray(0, -2), jpeg.subarray(-2)]
    const bytes = Buffer.concat([data, Buffer.from(before), end, Buffer.from(after)])
    t.like(await inspect(t, bytes, sandbox), { kind: 'image', format: 'jpeg', width: 640 })
  })
}

test('a GIF without its trailer is whole', async (t) => {
  const gif = gifOf(1, 1, gifFrame(1, 1)).subarray(0, -1)
  t.like(await inspect(t, gif, sandbox), { kind: 'image', format: 'gif', width: 1 })
})

test('markup, archives and documents are no pictures', async (t) => {
  for (const head of ['PK\x03\x04', '<html>', 'BM', 'II']) {
    t.is(await inspect(t, Buffer.from(head.padEnd(64), 'latin1'), undecoded), 'unknown')
  }
  for (const head of ['%PDF-1.7', 'II*\0', '8BPS', '\0\0\x01\0\x01\0']) {
    t.is(await inspect(t, Buffer.from(head.padEnd(64), 'latin1'), undecoded), 'foreign')
  }
  t.is(await inspect(t, svgz(), undecoded), 'foreign')
  const svg = '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg/>'
  t.is(await inspect(t, Buffer.from(svg), undecoded), 'svg')
})
