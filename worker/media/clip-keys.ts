import { keyFramesMax } from '../../core/queue/tasks.ts'
import type { ClipHeader } from './clip-probe.ts'
import { exactSlot, leadFrames, slotOf } from './clip-times.ts'

/** Packet of a clip's pictures, in ticks of its track. */
export type ClipPacket = {
  readonly decoded: number
  readonly shown: number
  readonly length: number
  readonly isKey: boolean
}

/** Distance between listed key frames when every frame is one: more would save nothing. */
const apartSeconds = 0.5
/** Tolerance for clocks that tick too rarely, as a share of a frame. */
const slackFrames = 0.25

/**
 * Returns the frames of the clip's sequence at which decoding may begin, ascending. These are key
 * frames after which the file (`packets` is in its order) holds all that is shown after them. A
 * seek to their time must find them, by decoding time and by display time.
 */
export function keyFramesOf(
  packets: readonly ClipPacket[],
  header: ClipHeader,
  frameRate: readonly [number, number],
): number[] {
  const [over, under] = frameRate
  const apart = (apartSeconds * over) / under
  const keys = packets.filter(({ isKey }) => isKey)
  const shownBefore = latestBefore(packets)
  const frames: number[] = []
  keys.forEach((key, i) => {
    const slot = slotOf(key.shown, header, frameRate)
    const frame = leadFrames(header, frameRate) + slot
    if (frames.length === keyFramesMax || frame < (frames.at(-1) ?? -apart) + apart) return
    if ((shownBefore.get(key) ?? key.shown) > key.shown) return
    const next = keys[i + 1]
    const isPassed = next && exactSlot(next.decoded, header, frameRate) < slot + 1 - slackFrames
    if (!isPassed) frames.push(frame)
  })
  return frames
}

/** Returns the latest display time before each key frame. */
function latestBefore(packets: readonly ClipPacket[]): Map<ClipPacket, number> {
  const latest = new Map<ClipPacket, number>()
  let shown = Number.NEGATIVE_INFINITY
  for (const packet of packets) {
    if (packet.isKey) latest.set(packet, shown)
    shown = Math.max(shown, packet.shown)
  }
  return latest
}
