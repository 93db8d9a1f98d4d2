import type { FileHandle } from 'node:fs/promises'
import { FarmError } from '../../core/errors.ts'
import { programPath } from '../process/ffmpeg.ts'
import type { NamedPipes } from '../process/named-pipes.ts'
import { startProgram } from '../process/programs.ts'
import { recordColors } from './mpeg4-colors.ts'
import { type SegmentFormat, segmentArgs } from './video.ts'

export type FramePipe = {
  /**
   * Writes YUV 4:2:0 from `createYuvConverter`. Resolves when the previous frame has been consumed:
   * one frame is written while the next is painted, and no more are held.
   */
  write(frame: Buffer): Promise<void>
  /** Ends the input. Resolves when the segment is a complete file; throws when it is not. */
  end(): Promise<void>
  /** Kills the encoder if it still runs. Call it exactly once in any case. */
  stop(): Promise<void>
}

/**
 * Starts an encoder for one segment. Errors come from `write` or `end`: FarmError `disk_full`, or
 * an Error with the tail of ffmpeg's output.
 *
 * Frames go through a named pipe, written by a thread of Node's pool while this one paints. A
 * child's own stdin is a socket, which Node fills bit by bit between other work: ffmpeg waited
 * while a frame was painted (docs/PERFORMANCE.md).
 */
export async function openFramePipe(
  format: SegmentFormat,
  { output, pipes, signal }: { output: string; pipes: NamedPipes; signal: AbortSignal },
): Promise<FramePipe> {
  const pipe = await pipes.open()
  const { ended, stderrTail, kill } = startProgram(
    [programPath('ffmpeg'), ...segmentArgs(format, output)],
    { stdio: [pipe.reader.fd, 'ignore', 'pipe'], isAlone: true, signal },
  )
  // Only ffmpeg can read from here on: when it ends, a write fails instead of waiting for ever.
  await pipe.reader.close()
  let before: Promise<boolean> = Promise.resolve(true)

  const fail = async () => {
    const exitCode = await ended
    signal.throwIfAborted()
    throw encoderError(exitCode, stderrTail())
  }
  const close = async () => {
    const isWhole = await before
    await pipe.writer.close()
    return isWhole
  }
  return {
    async write(frame) {
      if (!(await before)) await fail()
      before = writeWhole(pipe.writer, frame)
      // The next call reports the error; until then nothing may be listening.
      before.catch(() => undefined)
    },
    async end() {
      if (!(await close()) || (await ended) !== 0) await fail()
      signal.throwIfAborted()
      if (format.encoder.encoder === 'mpeg4') await recordColors(output)
    },
    async stop() {
      kill()
      await ended
      await close()
      pipe.release()
    },
  }
}

/**
 * Writes a whole frame. Returns false when ffmpeg has ended and no one reads; its exit code and
 * stderr say why.
 */
export async function writeWhole(writer: FileHandle, frame: Buffer): Promise<boolean> {
  try {
    for (let at = 0; at < frame.length; ) {
      const { bytesWritten } = await writer.write(frame, at, frame.length - at)
      at += bytesWritten
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false
    throw error
  }
}

/**
 * Converts ffmpeg's output to an error of the farm: after a full disk, another node may succeed.
 */
export function encoderError(exitCode: number, stderrTail: string): Error {
  if (/No space left on device|Disk quota exceeded/i.test(stderrTail)) {
    return new FarmError(
      'disk_full',
      'A machine of the farm has no room for the film on its disk.',
      { cause: stderrTail },
    )
  }
  return new EncoderFailed(`ffmpeg ended with exit code ${exitCode}: ${stderrTail.trim()}`)
}

/** Error of an ffmpeg that failed to encode for a reason other than a full disk. */
export class EncoderFailed extends Error {}
