import { execFile } from 'node:child_process'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import type { IngestSpec } from '../../../core/queue/tasks.ts'
import { outputOf, workOf } from '../encode/film-of.ts'
import { endlessWebm } from './endless-webm.ts'
import { gifFrame, gifOf } from './hostile-pictures.ts'
import type { Inspected } from './inspect-once.ts'

/**
 * Cost of refusing a hostile file: 1 s and 200 MB are promised. Processor seconds hardly depend on
 * the machine's load. Memory is limited for the programs, so the message shows whether the rule or
 * the limit refused the file.
 */
const cpuSecondsMax = 1
const megabytesMax = 200

const script = join(import.meta.dirname, 'inspect-once.ts')
const field = 'scenes[2].visuals[4].src'
const isMeasured = process.platform === 'linux'

type Case = readonly [
  what: string,
  expect: IngestSpec['expect'],
  make: (file: string) => Promise<unknown>,
  message: RegExp,
]

const lavfi =
  (source: string, ...args: string[]) =>
  (file: string) =>
    outputOf('ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i', source, ...args, file)

const cutOff = (make: (file: string) => Promise<unknown>) => async (file: string) => {
  await make(file)
  await truncate(file, Math.floor((await readFile(file)).length * 0.6))
}

const written = (bytes: () => Buffer) => (file: string) => writeFile(file, bytes())

const mp4Head = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1')
const playlist = Buffer.from('\n#EXTM3U\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n')
const asMp4 = written(() => Buffer.concat([mp4Head, playlist]))
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-f', 'mp4']

/**
 * Contains 4.5 hours of AAC silence behind 2 s of noise, whose rate suggests 6 minutes to a
 * header's reader.
 */
async function endlessAac(file: string) {
  const adts = ['-c:a', 'aac', '-f', 'adts']
  await lavfi('aevalsrc=random(0):s=24000:d=2', ...adts, '-b:a', '192k')(`${file}-noise`)
  await lavfi('anullsrc=r=24000:cl=mono:d=60', ...adts, '-b:a', '32k')(`${file}-silence`)
  const [noise, silence] = await Promise.all(
    ['noise', 'silence'].map((part) => readFile(`${file}-${part}`)),
  )
  if (!noise || !silence) throw new Error('Both parts must be there')
  await writeFile(file, Buffer.concat([noise, ...Array<Buffer>(270).fill(silence)]))
}

function captionsOf(count: number): Buffer {
  const cues = Array.from(
    { length: count },
    (_, i) => `${i + 1}\n${at(i)} --> ${at(i + 0.9)}\nHi\n`,
  )
  return Buffer.from(cues.join('\n'))
}

function at(second: number): string {
  const [h, m, s] = [second / 3600, (second / 60) % 60, second % 60].map(Math.floor)
  const ms = Math.round((second % 1) * 1000)
  return `${[h, m, s].map((part) => String(part).padStart(2, '0')).join(':')},${String(ms).padStart(3, '0')}`
}

const cases: readonly Case[] = [
  ['a playlist that says it is an mp4', 'video', asMp4, /must be whole|must hold/],
  ['a playlist that says it is an mp4', 'audio', asMp4, /must be (whole|sound)/],
  ['a cut off mp4', 'video', cutOff(lavfi('testsrc=s=640x360:d=4', ...x264)), /must be/],
  ['a cut off mp4', 'audio', cutOff(lavfi('sine=d=30', '-c:a', 'aac', '-f', 'mp4')), /must be/],
  [
    'a clip of 32 million pixels a frame',
    'video',
    lavfi('color=s=8000x4000:r=1:d=1', ...x264),
    /at most 10 million pixels .* Got 8000 x 4000/,
  ],
  [
    'an endless WebM of silence',
    'audio',
    written(() => endlessWebm(4.5, 'silence')),
    /goes on beyond/,
  ],
  [
    'an endless WebM of a still',
    'video',
    written(() => endlessWebm(4.5, 'still')),
    /goes on beyond/,
  ],
  ['an endless AAC', 'audio', endlessAac, /at most 14400 s long/],
  [
    'a GIF of 65535 x 65535 px',
    'gif',
    written(() => gifOf(65_535, 65_535, gifFrame(1, 1))),
    /at most 10 million pixels .* Got 65535 x 65535/,
  ],
  [
    'a flood of GIF frames',
    'gif',
    written(() => gifOf(1, 1, ...Array<Buffer>(5_000).fill(gifFrame(1, 1)))),
    /has too many parts/,
  ],
  ['a subtitle of 100,000 captions', 'subtitle', written(() => captionsOf(100_000)), /captions/],
  [
    'a subtitle that is no text',
    'subtitle',
    written(() => Buffer.alloc(2_000_000, 0xff)),
    /must be text/,
  ],
]

for (const [what, expect, make, message] of cases) {
  const run = isMeasured ? test.serial : test.skip
  run(
    `refusing ${what} (${expect}) takes no more than ${cpuSecondsMax} s and ${megabytesMax} MB`,
    async (t) => {
      const { dir } = await workOf(t)
      const file = join(dir, 'media')
      await make(file)
      const args = [script, file, expect, field]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      const seen: Inspected = JSON.parse(stdout)
      t.regex(seen.message, message)
      t.is(seen.field, field)
      t.true(seen.cpuSeconds <= cpuSecondsMax, `${seen.cpuSeconds} s`)
      t.true(seen.peakMegabytes <= megabytesMax, `${seen.peakMegabytes} MB`)
      t.log(`${seen.cpuSeconds.toFixed(2)} s, ${Math.round(seen.peakMegabytes)} MB`)
    },
  )
}
