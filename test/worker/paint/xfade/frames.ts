import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transitionNames } from '../../../../core/timeline/transitions/transitions.ts'
import { inputs, type Way } from './pictures.ts'

const run = promisify(execFile)

/** A transition of this many frames passes 1/4, 2/4, 3/4 at the frames of those numbers. */
const framesInTransition = 4
const passed = [1, 2, 3]
export const progresses = passed.map((frame) => frame / framesInTransition)

/**
 * ffmpeg 5.1 lacks these, or mistakes alpha for a colour (`fadegrays`; without alpha it agrees with
 * newer ones). Frames of a newer one are stored beside references.ts.
 */
const isNewer = (name: string) => /^(cover|reveal)|wind$|^fadegrays$/.test(name)
export const newerNames = transitionNames.filter(isNewer)
export const olderNames = transitionNames.filter((name) => !isNewer(name))

/**
 * Runs ffmpeg's own xfade on the inputs, all names in one run. Returns for each name its frames at
 * `progresses`, RGBA.
 */
export async function xfadeFrames(
  names: readonly string[],
  { way, ffmpeg }: { way: Way; ffmpeg: string },
): Promise<Map<string, Buffer[]>> {
  const { from, to, width, height } = inputs[way]
  const folder = await mkdtemp(join(tmpdir(), 'farm-xfade-'))
  try {
    await writeFile(join(folder, 'from'), from)
    await writeFile(join(folder, 'to'), to)
    const input = (file: string) => [
      ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${width}x${height}`, '-r', '1'],
      ...['-stream_loop', String(framesInTransition), '-i', join(folder, file)],
    ]
    const { stdout } = await run(
      ffmpeg,
      [
        ...['-v', 'error', '-nostdin', ...input('from'), ...input('to')],
        ...['-filter_complex', graphOf(names), '-frames:v', String(framesInTransition)],
        ...['-f', 'rawvideo', '-pix_fmt', 'rgba', '-'],
      ],
      { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 },
    )
    const bytes = width * height * 4
    const start = (frame: number, at: number) => (frame * names.length + at) * bytes
    return new Map(
      names.map((name, at) => [
        name,
        passed.map((frame) => stdout.subarray(start(frame, at), start(frame, at) + bytes)),
      ]),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Stacks every name's picture below the one before. */
function graphOf(names: readonly string[]): string {
  const labels = (prefix: string) => names.map((_, at) => `[${prefix}${at}]`)
  const [from, to, done] = [labels('a'), labels('b'), labels('x')]
  const split = (source: number, to: readonly string[]) =>
    `[${source}]format=gbrap,split=${names.length}${to.join('')}`
  const fades = names.map(
    (name, at) =>
      `${from[at]}${to[at]}xfade=transition=${name}:duration=${framesInTransition}:offset=0${done[at]}`,
  )
  const stack = `${done.join('')}vstack=inputs=${names.length},format=rgba`
  return [split(0, from), split(1, to), ...fades, stack].join(';')
}
