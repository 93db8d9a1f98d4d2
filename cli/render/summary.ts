import type { FaultLine } from '../failure.ts'
import { timeText } from './progress.ts'
import { warningLines } from './validate.ts'

/** A film or a still that is on the disk. `duration` in seconds, 0 for a still; `size` in bytes. */
export type Finished = {
  readonly output: string
  readonly duration: number
  readonly size: number
  readonly width: number
  readonly height: number
  readonly frames: { readonly total: number; readonly reused: number }
  readonly warnings: readonly FaultLine[]
  /** Seconds from the command's start to the file on the disk. */
  readonly seconds: number
  /** Seconds of these for the farm's start; absent when it was running. */
  readonly startSeconds?: number
}

/** Describes the file, the time it took, and how to look at it. */
export function summary(done: Finished): string {
  const { output, duration, size, width, height, seconds, startSeconds, frames } = done
  const length = duration > 0 ? `${duration.toFixed(2)} s, ` : ''
  const start =
    startSeconds === undefined ? '' : `, including ${startSeconds.toFixed(1)} s to start the farm`
  const reused =
    frames.reused > 0 ? `\n  ${frames.reused} of ${frames.total} frames needed no rendering` : ''
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  return `
${output}
  ${length}${width}x${height}, ${sizeText(size)}
  rendered in ${seconds < 60 ? `${seconds.toFixed(1)} s` : timeText(seconds)}${start}${reused}
${warningLines(done.warnings)
  .map((line) => `${line}\n`)
  .join('')}  open it: ${opener} ${quoted(output)}
`
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
