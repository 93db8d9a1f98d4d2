import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CanaryFilm,
  type CanaryResult,
  type CanarySpec,
  canaryFormat,
  canaryFrames,
  canaryObject,
} from '../../core/canary.ts'
import { FarmError } from '../../core/errors.ts'
import { type VideoEncoder, videoEncoders } from '../../core/plan/formats.ts'
import type { TaskContext } from '../context.ts'
import { runFfmpeg } from '../encode/fluent.ts'
import { openFramePipe } from '../encode/frame-pipe.ts'
import { createYuvConverter } from '../encode/yuv/yuv.ts'
import { createPainter } from '../paint/painter.ts'
import { likeness, readPpms } from './likeness.ts'

const decodeTimeoutMs = 20_000

/**
 * Does once what a shard needs, with this node's own parts: paints frames whose hashes the scheduler
 * knows, and with each encoder encodes them, stores the film, reads it back and decodes it.
 */
export async function canary({ encoders }: CanarySpec, task: TaskContext): Promise<CanaryResult> {
  const painter = createPainter({ ...canaryFormat, backend: task.node.canvas, bitmap: noPicture })
  const painted: Buffer[] = []
  // Copied: a painter's pixels may be taken by whoever they are given to.
  for (const frame of canaryFrames()) painted.push(Buffer.from(await painter.paint(frame)))
  const frames = painted.map((rgba) => createHash('sha256').update(rgba).digest('hex'))
  const film = join(task.dir, canaryObject)
  const back = `${film}.back`
  if (encoders.length === 0) {
    await writeFile(film, Buffer.concat(painted))
    await storeAndFetch(task, { film, back })
  }
  const films: CanaryFilm[] = []
  for (const name of encoders) {
    const encoder = videoEncoders.find((known) => known === name)
    if (encoder === undefined) throw new FarmError('unavailable', `No encoder is called ${name}`)
    await encode(painted, { encoder, film, task })
    await storeAndFetch(task, { film, back })
    films.push({ encoder, ...(await compare(painted, { encoder, back, task })) })
  }
  return { frames, films }
}

/** Copied, because the converter takes what it is given. */
async function encode(
  painted: readonly Buffer[],
  { encoder, film, task }: { encoder: VideoEncoder; film: string; task: TaskContext },
): Promise<void> {
  const settings = { encoder, ...qualities[encoder], threads: 1, gop: 8 }
  const yuv = createYuvConverter(canaryFormat)
  const pipe = await openFramePipe(
    { ...canaryFormat, encoder: settings },
    { output: film, pipes: task.node.pipes, signal: task.signal },
  )
  try {
    for (const rgba of painted) await pipe.write(yuv.convert(Buffer.from(rgba)))
    await pipe.end()
  } finally {
    await pipe.stop()
  }
}

/** None so low that a healthy encoder comes near the bound (core/canary.ts). */
const qualities = {
  h264_nvenc: { preset: 'p4', crf: 23 },
  libx264: { preset: 'veryfast', crf: 23 },
  'libvpx-vp9': { preset: '5', crf: 23 },
  mpeg4: { preset: '', crf: 4 },
} as const

async function storeAndFetch(
  task: TaskContext,
  { film, back }: { film: string; back: string },
): Promise<void> {
  await task.put(canaryObject, film)
  await task.get(canaryObject, back)
  if ((await hashOf(film)) !== (await hashOf(back))) {
    throw new FarmError('store_unavailable', 'An object did not come back as it was written.')
  }
}

/** What the film shows, as ffmpeg decodes it, beside what was painted. */
async function compare(
  painted: readonly Buffer[],
  { encoder, back, task }: { encoder: VideoEncoder; back: string; task: TaskContext },
): Promise<Omit<CanaryFilm, 'encoder'>> {
  const { sandbox } = task.node
  const seen = `${back}.ppm`
  const ended = await runFfmpeg(
    {
      inputs: [{ source: back, options: ['-nostdin', '-xerror', '-err_detect', 'explode'] }],
      outputs: [{ target: seen, options: decodeOptions }],
    },
    { sandbox, dir: task.dir, timeoutMs: decodeTimeoutMs, signal: task.signal },
  )
  if (ended.exitCode !== 0) {
    const message = `What ${encoder} encoded must be decoded. ffmpeg ended with exit code ${ended.exitCode}`
    throw new FarmError('internal', message, { cause: ended.stderrTail })
  }
  return likeness(painted, { ...canaryFormat, seen: readPpms(await readFile(seen)) })
}

const decodeOptions = [
  ...['-fps_mode', 'passthrough', '-an'],
  ...['-vf', 'scale=in_color_matrix=bt709:in_range=limited:flags=accurate_rnd+full_chroma_int'],
  ...['-pix_fmt', 'rgb24', '-c:v', 'ppm', '-f', 'image2pipe'],
]

function noPicture(): never {
  throw new Error('A canary has no pictures')
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
