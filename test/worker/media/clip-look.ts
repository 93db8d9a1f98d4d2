import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import type { ColorKey } from '../../../core/timeline/draw.ts'
import { inspectClip } from '../../../worker/media/clip.ts'
import { type ClipFormat, readClipHeader } from '../../../worker/media/clip-probe.ts'
import { openClipStream } from '../../../worker/media/clip-stream.ts'
import { readableClip } from '../../../worker/media/readable-clip.ts'
import { sandbox, workOf } from '../encode/film-of.ts'
import { numberIn } from './numbered-clip.ts'

export const run = promisify(execFile)
export const field = 'visuals[0].src'

/**
 * Inspects a clip as a farm does, and opens its frames. `forgets` its key frames, as old facts have
 * none.
 */
export async function look(file: string, format: ClipFormat, { forgets = false } = {}) {
  const kind = format === 'gif' ? 'gif' : 'video'
  const facts = await inspectClip({ file, format, field, kind }, { sandbox })
  const clip = await readableClip({ file, format }, `${file}-mended`)
  const header = await readClipHeader(clip, { sandbox })
  if ('failure' in header) throw new Error(header.failure)
  const { width, height, frameRate } = facts
  const keyFrames = forgets ? [] : (facts.keyFrames ?? [])
  const decode = async (frames: readonly number[], key?: ColorKey) => {
    const wanted = { frames, frameRate, size: [width, height] as const, ...(key && { key }) }
    const stream = openClipStream({ clip, header, wanted, keyFrames }, { sandbox })
    try {
      const all: Buffer[] = []
      for (const _ of frames) all.push(await stream.next())
      return all
    } finally {
      await stream.close()
    }
  }
  const at = (rgba: Buffer, x: number, y: number) => {
    const px = Math.floor(y * height) * width + Math.floor(x * width)
    return [...rgba.subarray(px * 4, px * 4 + 4)]
  }
  const numbers = async (frames: readonly number[]) =>
    (await decode(frames)).map((rgba) => numberIn((x, y) => at(rgba, x, y)[0] ?? 0))
  return { facts, decode, numbers, at }
}

/** Paths in a directory that goes with the test. */
export async function scratch(t: ExecutionContext) {
  const { dir } = await workOf(t)
  return (name: string) => join(dir, name)
}

export const h264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p']
