import { BitWriter, withPrevention } from './bits.ts'
import { skipCabac, writeSkips } from './cabac.ts'
import type { SliceFacts, StreamFacts } from './parameter-sets.ts'

/** Header of a non-IDR slice that is a reference picture. */
const nalHead = Buffer.from([0x41])
const predictedSlice = 5
const endOfModifications = 3

/**
 * Returns samples that show a picture again: P pictures of a few dozen bytes in which every
 * macroblock is skipped (ITU-T H.264 7.3.3). `shown` is the picture to repeat, `decoded` the last
 * reference picture in decoding order. Each sample refers to the one before, so frame numbers and
 * the order of pictures continue as if the encoder had written them.
 */
export function repeatPicture(
  { shown, decoded }: { shown: SliceFacts; decoded: SliceFacts },
  { count, stream }: { count: number; stream: StreamFacts },
): Buffer[] {
  if (!shown.isReference) throw new Error('A repeated picture must be a reference. It is not')
  const data = stream.isCabac ? sliceData(stream) : undefined
  const frameNums = 2 ** stream.frameNumBits
  return Array.from({ length: count }, (_, i) => {
    const frameNum = (decoded.frameNum + 1 + i) % frameNums
    const back = i === 0 ? (frameNum - shown.frameNum + frameNums) % frameNums : 1
    const header = sliceHeader({ frameNum, back, order: orderAfter(shown, i + 1, stream) }, stream)
    if (data) return sampleOf(Buffer.concat([header.align(1).bytes(), data]))
    // A run of skipped macroblocks, then the stop bit.
    return sampleOf(header.ue(stream.macroblocks).bits(1, 1).align(0).bytes())
  })
}

function sliceData({ macroblocks }: StreamFacts): Buffer {
  const writer = new BitWriter()
  writeSkips(writer, macroblocks)
  return writer.align(0).bytes()
}

/** Returns the order count after some frames: each frame counts two, one for each field. */
function orderAfter({ order }: SliceFacts, frames: number, { orderBits }: StreamFacts) {
  if (order === null || orderBits === null) return null
  return (order + 2 * frames) % 2 ** orderBits
}

/** Writes the header. `back`: distance in frame numbers to the repeated picture. */
function sliceHeader(
  { frameNum, back, order }: { frameNum: number; back: number; order: number | null },
  stream: StreamFacts,
): BitWriter {
  const to = new BitWriter()
  to.ue(0).ue(predictedSlice).ue(stream.pictureSet).bits(frameNum, stream.frameNumBits)
  if (order !== null) {
    to.bits(order, stream.orderBits ?? 0)
    if (stream.hasBottomOrder) to.se(0)
  }
  if (stream.hasRedundantCount) to.ue(0)
  // One reference picture, and its number.
  to.bits(1, 1).ue(0)
  to.bits(1, 1)
    .ue(0)
    .ue(back - 1)
    .ue(endOfModifications)
  if (stream.weighsPrediction) {
    to.ue(0)
    if (stream.hasChroma) to.ue(0)
    to.bits(0, stream.hasChroma ? 2 : 1)
  }
  // Reference marking by the sliding window, as usual.
  to.bits(0, 1)
  if (stream.isCabac) to.ue(skipCabac.initIdc)
  to.se(skipCabac.qp - stream.initialQp)
  if (stream.controlsDeblocking) to.ue(1)
  return to
}

function sampleOf(payload: Buffer): Buffer {
  const nal = Buffer.concat([nalHead, withPrevention(payload)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(nal.length)
  return Buffer.concat([length, nal])
}
