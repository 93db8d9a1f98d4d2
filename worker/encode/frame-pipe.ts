import { spawn } from 'node:child_process'
import { FarmError } from '../../core/errors.ts'
import { exitOf, keepTail } from '../sandbox.ts'
import { type SegmentFormat, segmentArgs } from './video.ts'

const stderrTailBytes = 4_096

export type FramePipe = {
  /**
   * Width x height x 4 bytes, opaque. Resolves when the frame before has been swallowed: this one is
   * written while the next is painted, and no more are held.
   */
  write(frame: Buffer): Promise<void>
  /** No more frames. Resolves when the segment is a complete file; throws when it is not. */
  end(): Promise<void>
  /** Kills the encoder, if it still runs. */
  stop(): Promise<void>
}

/**
 * Starts an encoder for one segment. Errors come from `write` or `end`: FarmError `disk_full`, or an
 * Error with the tail of what ffmpeg said.
 */
export function openFramePipe(
  format: SegmentFormat,
  { output, signal }: { output: string; signal: AbortSignal },
): FramePipe {
  const child = spawn('ffmpeg', segmentArgs(format, output), { stdio: ['pipe', 'ignore', 'pipe'] })
  const stderr = keepTail(child.stderr, stderrTailBytes)
  const ended = exitOf(child)
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  ended.then(() => signal.removeEventListener('abort', kill))
  // A broken pipe only says that ffmpeg has ended; its exit code and stderr say why.
  child.stdin.on('error', () => undefined)
  let before = Promise.resolve()

  const fail = async () => {
    const exitCode = await ended
    signal.throwIfAborted()
    throw encoderError(exitCode, stderr())
  }
  return {
    async write(frame) {
      if (!child.stdin.writable) await fail()
      const swallowed = new Promise<void>((resolve) => {
        child.stdin.write(frame, () => resolve())
      })
      await before
      before = swallowed
    },
    async end() {
      child.stdin.end()
      if ((await ended) !== 0) await fail()
      signal.throwIfAborted()
    },
    async stop() {
      kill()
      await ended
    },
  }
}

/** What ffmpeg said, as the farm's error: a full disk is worth another node. */
export function encoderError(exitCode: number, stderrTail: string): Error {
  if (/No space left on device|Disk quota exceeded/i.test(stderrTail)) {
    return new FarmError('disk_full', 'The node has no room for the film.', { cause: stderrTail })
  }
  return new Error(`ffmpeg ended with exit code ${exitCode}: ${stderrTail.trim()}`)
}
