import { readBits, withoutPrevention } from './bits.ts'

/** Fields of ITU-T H.264 7.3.2.1 and 7.3.2.2 on which a slice's header depends. */
export type StreamFacts = {
  readonly frameNumBits: number
  /** Bits of pic_order_cnt_lsb; null when the pictures' order is the decoding order. */
  readonly orderBits: number | null
  readonly macroblocks: number
  readonly hasChroma: boolean
  readonly pictureSet: number
  readonly isCabac: boolean
  readonly hasBottomOrder: boolean
  readonly weighsPrediction: boolean
  readonly initialQp: number
  readonly controlsDeblocking: boolean
  readonly hasRedundantCount: boolean
}

/**
 * Reads the facts from an mp4's avcC. @throws Error for a kind of stream that x264 does not make
 */
export function streamFacts(avcC: Buffer): StreamFacts {
  const sequences = (avcC[5] ?? 0) & 31
  const sequenceBytes = avcC.readUInt16BE(6)
  const sequence = avcC.subarray(8, 8 + sequenceBytes)
  const pictureAt = 8 + sequenceBytes
  const pictures = avcC[pictureAt] ?? 0
  const lengthBytes = ((avcC[4] ?? 0) & 3) + 1
  if (sequences !== 1 || pictures !== 1 || lengthBytes !== 4) {
    const seen = `${sequences}, ${pictures} and lengths of ${lengthBytes} bytes`
    throw new Error(`A stream must have one set of each kind and lengths of 4 bytes. Got ${seen}`)
  }
  const pictureBytes = avcC.readUInt16BE(pictureAt + 1)
  const picture = avcC.subarray(pictureAt + 3, pictureAt + 3 + pictureBytes)
  return { ...sequenceFacts(sequence), ...pictureFacts(picture) }
}

/** Profiles whose sequence parameter set has extra fields for chroma and depth. */
const highProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128])

function sequenceFacts(nal: Buffer) {
  const read = readBits(withoutPrevention(nal.subarray(1)))
  const profile = read.bits(8)
  read.bits(16)
  read.ue()
  let chroma = 1
  if (highProfiles.has(profile)) {
    chroma = read.ue()
    if (chroma === 3) throw unlike('4:4:4')
    read.ue()
    read.ue()
    read.bits(1)
    if (read.bits(1) === 1) throw unlike('scaling matrices of its own')
  }
  const frameNumBits = read.ue() + 4
  const orderKind = read.ue()
  if (orderKind === 1) throw unlike('pic_order_cnt_type 1')
  const orderBits = orderKind === 0 ? read.ue() + 4 : null
  read.ue()
  read.bits(1)
  const columns = read.ue() + 1
  const rows = read.ue() + 1
  if (read.bits(1) === 0) throw unlike('fields')
  return { frameNumBits, orderBits, macroblocks: columns * rows, hasChroma: chroma !== 0 }
}

function pictureFacts(nal: Buffer) {
  const read = readBits(withoutPrevention(nal.subarray(1)))
  const pictureSet = read.ue()
  read.ue()
  const isCabac = read.bits(1) === 1
  const hasBottomOrder = read.bits(1) === 1
  if (read.ue() > 0) throw unlike('slice groups')
  read.ue()
  read.ue()
  const weighsPrediction = read.bits(1) === 1
  read.bits(2)
  const initialQp = 26 + read.se()
  read.se()
  read.se()
  const controlsDeblocking = read.bits(1) === 1
  read.bits(1)
  const hasRedundantCount = read.bits(1) === 1
  return {
    ...{ pictureSet, isCabac, hasBottomOrder, weighsPrediction, initialQp },
    ...{ controlsDeblocking, hasRedundantCount },
  }
}

function unlike(seen: string): Error {
  return new Error(`A stream must be of a kind that x264 makes here. Got ${seen}`)
}

export type SliceFacts = {
  readonly isIdr: boolean
  readonly isReference: boolean
  readonly frameNum: number
  /** pic_order_cnt_lsb; null for a stream without one. */
  readonly order: number | null
}

/** Reads the beginning of the slice header (7.3.3) of a sample that is one slice. */
export function sliceFacts(sample: Buffer, stream: StreamFacts): SliceFacts {
  const nal = sliceOf(sample)
  const head = nal[0] ?? 0
  const read = readBits(withoutPrevention(nal.subarray(1, 64)))
  read.ue()
  read.ue()
  read.ue()
  const frameNum = read.bits(stream.frameNumBits)
  const isIdr = (head & 31) === 5
  if (isIdr) read.ue()
  const order = stream.orderBits === null ? null : read.bits(stream.orderBits)
  return { isIdr, isReference: (head & 0x60) !== 0, frameNum, order }
}

function sliceOf(sample: Buffer): Buffer {
  const [found, ...more] = slicesOf(sample)
  if (more.length > 0) throw unlike('several slices in a picture')
  if (!found) throw unlike('a picture without a slice')
  return found
}

/**
 * Returns a sample's NAL units that hold coded macroblocks (7.4.1); each follows a length of 4
 * bytes.
 */
function slicesOf(sample: Buffer): Buffer[] {
  const slices: Buffer[] = []
  for (let at = 0; at + 4 < sample.length; ) {
    const end = at + 4 + sample.readUInt32BE(at)
    const nal = sample.subarray(at + 4, end)
    const kind = (nal[0] ?? 0) & 31
    if (kind === 1 || kind === 5) slices.push(nal)
    at = end
  }
  return slices
}

/** Returns whether other pictures may refer to this one (nal_ref_idc), or its kind is unknown. */
export function isReferred(sample: Buffer): boolean {
  return !slicesOf(sample).some((nal) => ((nal[0] ?? 0) & 0x60) === 0)
}
