import { spawn } from 'node:child_process'
import type { FileHandle } from 'node:fs/promises'
import { FarmError } from '../../core/errors.ts'
import { programPath } from '../ffmpeg.ts'
import { exitOf, keepTail } from '../sandbox.ts'
import { recordColors } from './mpeg4-colors.ts'
import type { NamedPipes } from './named-pipes.ts'
import { type SegmentFormat, segmentArgs } from './video.ts'

const stderrTailBytes = 4_096

export type FramePipe = {
  /**
   * YUV 4:2:0 as `createYuvConverter` gives it. Resolves when the frame before has been swallowed:
   * this one is written while the next is painted, and no more are held.
   */
  write(frame: Buffer): Promise<void>
  /** No more frames. Resolves when the segment is a complete file; throws when it is not. */
  end(): Promise<void>
  /** Kills the encoder, if it still runs. To be called in any case, once. */
  stop(): Promise<void>
}

/**
 * Starts an encoder for one segment. Errors come from `write` or `end`: FarmError `disk_full`, or an
 * Error with the tail of what ffmpeg said.
 *
 * Frames go through a named pipe, written by a thread of Node's pool while this one paints. A
 * child's own stdin is a socket, which Node fills bit by bit between other work: ffmpeg waited while
 * a frame was painted (docs/PERFORMANCE.md).
 */
export async function openFramePipe(
  format: SegmentFormat,
  { output, pipes, signal }: { output: string; pipes: NamedPipes; signal: AbortSignal },
): Promise<FramePipe> {
  const pipe = await pipes.open()
  const child = spawn(programPath('ffmpeg'), segmentArgs(format, output), {
    stdio: [pipe.reader.fd, 'ignore', 'pipe'],
  })
  if (!child.stderr) throw new Error('ffmpeg must have a stderr to read. Got none')
  const stderr = keepTail(child.stderr, stderrTailBytes)
  const ended = exitOf(child)
  // From here on ffmpeg alone can read: when it ends, a write fails instead of waiting for ever.
  await pipe.reader.close()
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  ended.then(() => signal.removeEventListener('abort', kill))
  let before: Promise<boolean> = Promise.resolve(true)

  const fail = async () => {
    const exitCode = await ended
    signal.throwIfAborted()
    throw encoderError(exitCode, stderr())
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
      // Its fault is told by the next call; until then nobody may be listening.
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
      pipe.giveBack()
    },
  }
}

/** False: nobody reads any more, that is, ffmpeg has ended; its exit code and stderr say why. */
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

/** What ffmpeg said, as the farm's error: a full disk is worth another node. */
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

/** An ffmpeg that encodes has ended badly, and not for want of room. */
export class EncoderFailed extends Error {}
