import { keyFramesMax } from '../../core/tasks.ts'
import type { ClipHeader } from './clip-probe.ts'
import { exactSlot, leadFrames, slotOf } from './clip-times.ts'

/** A packet of a clip's pictures, in ticks of its track. */
export type ClipPacket = {
  readonly decoded: number
  readonly shown: number
  readonly length: number
  readonly isKey: boolean
}

/** Where each frame is a key frame, as many of them are named as save something. */
const apartSeconds = 0.5
/** Of a frame: what a clock that ticks too seldom may be off. */
const slackFrames = 0.25

/**
 * Frames of the clip's sequence at which decoding may begin, ascending: key frames after which in the
 * file (`packets` is in its order) all stands that is shown after them, and which a search for their
 * moment finds, be it by when packets are decoded or by when they are shown.
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

/** For each key frame the latest moment of what stands before it. */
function latestBefore(packets: readonly ClipPacket[]): Map<ClipPacket, number> {
  const latest = new Map<ClipPacket, number>()
  let shown = Number.NEGATIVE_INFINITY
  for (const packet of packets) {
    if (packet.isKey) latest.set(packet, shown)
    shown = Math.max(shown, packet.shown)
  }
  return latest
}
