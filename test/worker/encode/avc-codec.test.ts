import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { codecOf } from '../../../api/playback/cut-pieces.ts'
import { openSmallMp4 } from '../../../api/playback/mp4-file.ts'
import { avcCodec } from '../../../core/plan/avc-codec.ts'
import { segmentArgs } from '../../../worker/encode/video.ts'

/** Sizes at which one level ends and the next begins, odd ones, and those that customers take. */
const sizes = [
  ...[
    [16, 16],
    [33, 47],
    [176, 144],
    [352, 288],
    [352, 304],
    [640, 360],
    [1000, 16],
  ],
  ...[
    [720, 576],
    [1280, 720],
    [1080, 1920],
    [1920, 1080],
    [3840, 2160],
    [4096, 64],
  ],
] as const

const encoder = { encoder: 'libx264', preset: 'veryfast', crf: 23, threads: 1 } as const

/** Encodes two frames as a node does, and reads how the file says that they are coded. */
async function encoded(
  folder: string,
  format: { width: number; height: number; frameRate: number },
) {
  const { width, height, frameRate } = format
  const file = join(folder, 'segment.mp4')
  const settings = { ...format, encoder: { ...encoder, gop: 4 * frameRate } }
  const frames = Buffer.alloc((width + (width % 2)) * (height + (height % 2)) * 3, 100)
  await new Promise<void>((resolve, reject) => {
    const child = execFile('ffmpeg', segmentArgs(settings, file), (error) =>
      error ? reject(error) : resolve(),
    )
    child.stdin?.end(frames)
  })
  return codecOf(await openSmallMp4({ read: async () => await readFile(file) }, file))
}

test('a playlist names the coding that the encoder then chooses', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const named = new Set<string>()
  for (const [width, height] of sizes) {
    for (const frameRate of [1, 25, 30, 60]) {
      const format = { width, height, frameRate }
      const codec = avcCodec({ ...format, encoder: encoder.encoder })
      t.is(codec, await encoded(folder, format), JSON.stringify(format))
      named.add(codec ?? '')
    }
  }
  t.true(named.size > 10, [...named].join(' '))
})

test('the coding of another encoder is not guessed', (t) => {
  const format = { width: 1280, height: 720, frameRate: 30 }
  t.is(avcCodec({ ...format, encoder: 'h264_nvenc' }), undefined)
})
