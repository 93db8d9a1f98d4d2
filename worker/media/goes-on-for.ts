import type { Sandbox } from '../sandbox.ts'
import { probeLimits } from './limits.ts'

/** A packet is shorter. */
const aboutSeconds = 1
const timeoutMs = 20_000

/**
 * Whether a packet of the track begins about that second or later, found without decoding: a header
 * need not claim a length, and hours of nothing are few bytes. `flags`: ffmpeg's for the input.
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
  // Of a shorter file it is the last packet, or the first. Its time counts from the one asked for.
  const [, over, under] = /^#tb 0: (\d+)\/(\d+)$/m.exec(ended.stdout) ?? []
  const [, shown] = /^0, *-?\d+, *(-?\d+)/m.exec(ended.stdout) ?? []
  return ended.timedOut || (Number(shown) * Number(over)) / Number(under) > -aboutSeconds
}
