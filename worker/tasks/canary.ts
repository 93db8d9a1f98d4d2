import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CanaryResult,
  type CanarySpec,
  canaryFormat,
  canaryFrames,
  canaryObject,
} from '../../core/canary.ts'
import { FarmError } from '../../core/errors.ts'
import { videoEncoders } from '../../core/plan/formats.ts'
import type { TaskContext } from '../context.ts'
import { openFramePipe } from '../encode/frame-pipe.ts'
import type { NamedPipes } from '../encode/named-pipes.ts'
import { createYuvConverter } from '../encode/yuv/yuv.ts'
import { createPainter } from '../paint/painter.ts'

/**
 * Does once what a shard needs, with this node's own parts: paints frames whose hashes the scheduler
 * knows, encodes them, stores the file and reads it back.
 */
export async function canary(
  { encoder: name }: CanarySpec,
  task: TaskContext,
): Promise<CanaryResult> {
  const painter = createPainter({ ...canaryFormat, backend: task.node.canvas, bitmap: noPicture })
  const painted: Buffer[] = []
  // Copied: a painter's pixels may be taken by whoever they are given to.
  for (const frame of canaryFrames()) painted.push(Buffer.from(await painter.paint(frame)))
  const hashes = painted.map((rgba) => createHash('sha256').update(rgba).digest('hex'))
  const file = join(task.dir, canaryObject)
  if (name === undefined) await writeFile(file, Buffer.concat(painted))
  else await encode(painted, { name, file, pipes: task.node.pipes, signal: task.signal })
  await task.put(canaryObject, file)
  await task.get(canaryObject, `${file}.back`)
  if ((await hashOf(file)) !== (await hashOf(`${file}.back`))) {
    throw new FarmError('store_unavailable', 'An object did not come back as it was written.')
  }
  return { frames: hashes }
}

async function encode(
  painted: readonly Buffer[],
  {
    name,
    file,
    pipes,
    signal,
  }: { name: string; file: string; pipes: NamedPipes; signal: AbortSignal },
): Promise<void> {
  const encoder = videoEncoders.find((known) => known === name)
  if (encoder === undefined) throw new FarmError('unavailable', `No encoder is called ${name}`)
  const settings = { encoder, preset: presets[encoder], crf: 23, threads: 1, gop: 8 }
  const yuv = createYuvConverter(canaryFormat)
  const pipe = await openFramePipe(
    { ...canaryFormat, encoder: settings },
    { output: file, pipes, signal },
  )
  try {
    for (const rgba of painted) await pipe.write(yuv.convert(rgba))
    await pipe.end()
  } finally {
    await pipe.stop()
  }
}

const presets = { h264_nvenc: 'p4', libx264: 'veryfast', 'libvpx-vp9': '5', mpeg4: '' } as const

function noPicture(): never {
  throw new Error('A canary has no pictures')
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
