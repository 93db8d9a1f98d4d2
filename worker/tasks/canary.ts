import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FarmError } from '../../core/errors.ts'
import {
  type CanaryFilm,
  type CanaryResult,
  type CanarySound,
  type CanarySpec,
  canaryFormat,
  canaryFrames,
  canaryObject,
} from '../../core/fleet/canary.ts'
import {
  type SoundEncoder,
  soundEncoders,
  type VideoEncoder,
  videoEncoders,
} from '../../core/plan/formats.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { TaskContext } from '../context.ts'
import { openFramePipe } from '../encode/frame-pipe.ts'
import { createYuvConverter } from '../encode/yuv/yuv.ts'
import { hashFile } from '../files/hash-file.ts'
import { createPainter } from '../paint/painter.ts'
import { runOwnFfmpeg } from '../process/fluent.ts'
import type { OneShot } from '../process/one-shot.ts'
import { canarySound, decodeSound, encodeSound, soundLikeness } from './canary-sound.ts'
import { likeness, readPpms } from './likeness.ts'

const commandTimeoutMs = 20_000

/**
 * Runs each step of a shard once with this node's own parts. It paints frames whose hashes the
 * scheduler knows, then encodes them, or tones, with each encoder, stores the file, reads it back
 * and decodes it.
 */
export async function canary({ encoders }: CanarySpec, task: TaskContext): Promise<CanaryResult> {
  const painter = createPainter({ ...canaryFormat, backend: task.node.canvas, bitmap: noPicture })
  const painted: Buffer[] = []
  // Copied, as a consumer may free a painter's pixels.
  for (const frame of canaryFrames()) painted.push(Buffer.from(await painter.paint(frame)))
  const frames = painted.map(sha256)
  const files = { file: join(task.dir, canaryObject), back: join(task.dir, `${canaryObject}.back`) }
  if (encoders.length === 0) {
    await writeFile(files.file, Buffer.concat(painted))
    await storeAndFetch(task, files)
  }
  const films: CanaryFilm[] = []
  const sounds: CanarySound[] = []
  for (const name of encoders) {
    const ofPictures = videoEncoders.find((known) => known === name)
    const ofSound = soundEncoders.find((known) => known === name)
    if (ofPictures) films.push(await film(painted, { encoder: ofPictures, task, ...files }))
    else if (ofSound) sounds.push(await sound({ encoder: ofSound, task, ...files }))
    else throw new FarmError('unavailable', `No encoder is called ${name}`)
  }
  return { frames, films, sounds }
}

type Files = { readonly file: string; readonly back: string }

/** Compares the film as ffmpeg decodes it with the painted frames. */
async function film(
  painted: readonly Buffer[],
  { encoder, task, ...files }: Files & { encoder: VideoEncoder; task: TaskContext },
): Promise<CanaryFilm> {
  await encode(painted, { encoder, film: files.file, task })
  await storeAndFetch(task, files)
  const seen = `${files.back}.ppm`
  await run(task, `decode what ${encoder} encoded`, {
    inputs: [{ source: files.back, options: ['-nostdin', '-xerror', '-err_detect', 'explode'] }],
    outputs: [{ target: seen, options: decodeOptions }],
  })
  const pictures = readPpms(await readFile(seen))
  return { encoder, ...likeness(painted, { ...canaryFormat, seen: pictures }) }
}

/** Measures the sound as ffmpeg decodes it. */
async function sound({
  encoder,
  task,
  ...files
}: Files & { encoder: SoundEncoder; task: TaskContext }): Promise<CanarySound> {
  const [pcm, heard] = [join(task.dir, 'canary-tones'), `${files.back}.pcm`]
  await writeFile(pcm, canarySound())
  await run(task, `encode with ${encoder}`, encodeSound(encoder, { from: pcm, to: files.file }))
  await storeAndFetch(task, files)
  const decode = decodeSound({ from: files.back, to: heard })
  await run(task, `decode what ${encoder} encoded`, decode)
  return { encoder, ...soundLikeness(await readFile(heard)) }
}

/** Runs one command. @throws FarmError that names the failed step */
async function run(task: TaskContext, what: string, shot: OneShot): Promise<void> {
  const limits = { timeoutMs: commandTimeoutMs, signal: task.signal }
  const { reason, stderr } = await runOwnFfmpeg(shot, limits)
  if (reason === undefined) return
  const [how] = reason.split('\n')
  throw new FarmError('internal', `ffmpeg must ${what}. Got: ${how}`, { cause: stderr })
}

/** Encodes copies of the frames, because the converter takes over its input. */
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

/** High enough that a healthy encoder stays clear of the bound (core/fleet/canary.ts). */
const qualities = {
  h264_nvenc: { preset: 'p4', crf: 23 },
  libx264: { preset: 'veryfast', crf: 23 },
  'libvpx-vp9': { preset: '5', crf: 23 },
  mpeg4: { preset: '', crf: 4 },
} as const

async function storeAndFetch(task: TaskContext, { file, back }: Files): Promise<void> {
  await task.put(canaryObject, file)
  await task.get(canaryObject, back)
  if ((await hashFile(file)) !== (await hashFile(back))) {
    throw new FarmError('store_unavailable', 'An object did not come back as it was written.')
  }
}

const decodeOptions = [
  ...['-fps_mode', 'passthrough', '-an'],
  ...['-vf', 'scale=in_color_matrix=bt709:in_range=limited:flags=accurate_rnd+full_chroma_int'],
  ...['-pix_fmt', 'rgb24', '-c:v', 'ppm', '-f', 'image2pipe'],
]

function noPicture(): never {
  throw new Error('A canary has no pictures')
}
