import type { Sandbox } from '../process/sandbox.ts'
import { probeLimits } from './limits.ts'

/** Tolerance: packets are shorter. */
const aboutSeconds = 1
const timeoutMs = 20_000

/**
 * Returns whether a packet of the track begins at about that second or later, without decoding: a
 * header may claim no length, and hours of silence are few bytes. `flags`: ffmpeg's for the input.
 */
export async function goesOnFor(
  { file, flags, track }: { file: string; flags: readonly string[]; track: string },
  seconds: number,
  { sandbox, signal }: { sandbox: Sandbox; signal?: AbortSignal },
): Promise<boolean> {
  const ended = await sandbox.run({
    program: 'ffmpeg',
    args: [
      ...['-v', 'error', '-nostdin', ...flags, '-ss', String(seconds), '-i', file],
      ...['-map', track, '-c', 'copy', '-copyinkf', '-frames', '1', '-f', 'framecrc', '-'],
    ],
    fence: { read: [file], write: [], limits: probeLimits },
    timeoutMs,
    ...(signal && { signal }),
  })
  // A shorter file yields its last packet, or the first. Times count from the seek position.
  const [, over, under] = /^#tb 0: (\d+)\/(\d+)$/m.exec(ended.stdout) ?? []
  const [, shown] = /^0, *-?\d+, *(-?\d+)/m.exec(ended.stdout) ?? []
  return ended.timedOut || (Number(shown) * Number(over)) / Number(under) > -aboutSeconds
}
