import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { StraightPixels } from '../../../worker/paint/canvas.ts'

const run = promisify(execFile)

/** A transition of this many frames passes 1/4, 2/4, 3/4 at the frames of those numbers. */
const framesInTransition = 4

/**
 * The frames at progress 0.25, 0.5 and 0.75 that ffmpeg's own xfade makes of two RGBA pictures.
 * xfade treats every channel alike, so premultiplied pixels come back premultiplied.
 */
export async function xfadeFrames(
  name: string,
  {
    from,
    to,
    width,
    height,
  }: { from: StraightPixels['rgba']; to: StraightPixels['rgba']; width: number; height: number },
): Promise<{ progress: number; pixels: Buffer }[]> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-xfade-'))
  try {
    await writeFile(join(folder, 'from'), from)
    await writeFile(join(folder, 'to'), to)
    const input = (file: string) => [
      ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${width}x${height}`, '-r', '1'],
      ...['-stream_loop', String(framesInTransition), '-i', join(folder, file)],
    ]
    const xfade = `xfade=transition=${name}:duration=${framesInTransition}:offset=0`
    const graph = `[0]format=gbrap[a];[1]format=gbrap[b];[a][b]${xfade},format=rgba`
    const { stdout } = await run(
      'ffmpeg',
      [
        ...['-v', 'error', '-nostdin', ...input('from'), ...input('to')],
        ...['-filter_complex', graph, '-frames:v', String(framesInTransition)],
        ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-'],
      ],
      { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 },
    )
    const bytes = width * height * 4
    return [1, 2, 3].map((frame) => ({
      progress: frame / framesInTransition,
      pixels: stdout.subarray(frame * bytes, (frame + 1) * bytes),
    }))
  } finally {
    await rm(folder, { recursive: true })
  }
}
