/**
 * GIF as browsers interpret it, rewritten for decoders that differ. Nothing is decoded: blocks are
 * copied.
 *
 * Each frame gets its own palette, and there is no common one: ffmpeg then clears around frames and
 * after disposal instead of painting the background colour. Invisible frames become one clear
 * pixel, and a truncated last one is dropped.
 */
export type MendedGif = {
  readonly bytes: Buffer
  /** Visible part, px: frames may reach further, to the right and down. */
  readonly screen: readonly [width: number, height: number]
  readonly frames: number
  /** True when the last frame is truncated. It is dropped, unless there is no other. */
  readonly isCut: boolean
}

type Frame = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly isInterlaced: boolean
  readonly palette: Buffer
  /** Smallest code size and blocks of data, including their end. */
  readonly data: Buffer
  readonly isWhole: boolean
  readonly disposal: number
  /** Delay in hundredths of a second. */
  readonly delay: number
  readonly clear: number | undefined
}

type Control = Pick<Frame, 'disposal' | 'delay' | 'clear'>

const headBytes = 13
const [extension, image, control] = [0x21, 0x2c, 0xf9]
const [keep, previous] = [1, 3]
const paletteBytes = 768
/** One pixel of index 0, compressed. */
const onePixel = Buffer.from([2, 2, 0x44, 1, 0])

/** Rewrites a GIF. Undefined: it has no frame. */
export function mendGif(gif: Buffer): MendedGif | undefined {
  const all = [...framesOf(gif)]
  const whole = all.filter(({ isWhole }) => isWhole)
  // A single frame is shown as far as it goes.
  const frames = whole.length > 0 ? whole : all
  const screen = screenOf(gif, frames[0])
  if (!screen) return undefined
  const shown = frames.map((frame) => (isSeen(frame, screen) ? frame : unseen(frame)))
  return {
    ...{ bytes: written(shown, screen), screen, frames: shown.length },
    isCut: all.some(({ isWhole }) => !isWhole),
  }
}

/**
 * Returns the first frame as a picture. libvips keeps its surroundings clear only if some frame has
 * a clear colour.
 */
export function stillOfGif(gif: Buffer): Omit<MendedGif, 'frames'> | undefined {
  const [first] = framesOf(gif)
  const screen = screenOf(gif, first)
  if (!screen || !first) return undefined
  const { width, height, isWhole } = first
  const isClearAround = width < screen[0] || height < screen[1] || !isWhole
  const shown = isSeen(first, screen) ? first : unseen(first)
  const bytes = written(isClearAround ? [shown, unseen(first)] : [shown], screen)
  return { bytes, screen, isCut: !isWhole }
}

/** Returns the screen size, which the first frame may widen, as in browsers. */
function screenOf(gif: Buffer, first: Frame | undefined): MendedGif['screen'] | undefined {
  if (!first) return undefined
  return [
    Math.max(gif.readUInt16LE(6), first.left + first.width),
    Math.max(gif.readUInt16LE(8), first.top + first.height),
  ]
}

function written(frames: readonly Frame[], [width, height]: MendedGif['screen']): Buffer {
  const right = Math.max(width, ...frames.map((frame) => frame.left + frame.width))
  const bottom = Math.max(height, ...frames.map((frame) => frame.top + frame.height))
  const head = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt16LE(Math.min(65_535, right), 6)
  head.writeUInt16LE(Math.min(65_535, bottom), 8)
  return Buffer.concat([head, ...frames.flatMap(blocksOf), Buffer.from(';')])
}

function isSeen({ left, top, width, height }: Frame, [across, down]: MendedGif['screen']): boolean {
  return width > 0 && height > 0 && left < across && top < down
}

function unseen({ delay, isWhole }: Frame): Frame {
  const palette = Buffer.alloc(paletteBytes)
  const place = { left: 0, top: 0, width: 1, height: 1, isInterlaced: false }
  return { ...place, palette, data: onePixel, isWhole, disposal: keep, delay, clear: 0 }
}

function blocksOf(frame: Frame): Buffer[] {
  const { disposal, delay, clear, isInterlaced, palette, data } = frame
  const how = Buffer.alloc(8)
  how.set([extension, control, 4, (disposal << 2) | (clear === undefined ? 0 : 1)])
  how.writeUInt16LE(delay, 4)
  how.writeUInt8(clear ?? 0, 6)
  const where = Buffer.alloc(10)
  where.writeUInt8(image, 0)
  for (const [i, edge] of [frame.left, frame.top, frame.width, frame.height].entries()) {
    where.writeUInt16LE(edge, 1 + i * 2)
  }
  where.writeUInt8(0x87 | (isInterlaced ? 0x40 : 0), 9)
  return [how, where, palette, data]
}

/** Yields the frames (GIF89a, section 17 on). An unknown block ends the file, like its trailer. */
function* framesOf(gif: Buffer): Generator<Frame> {
  const common = paletteAt(gif, headBytes, gif.readUInt8(10))
  let said: Control = { disposal: keep, delay: 0, clear: undefined }
  for (let at = headBytes + common.length; at + 1 < gif.length; ) {
    const kind = gif[at]
    if (kind === extension) {
      if (gif[at + 1] === control && at + 7 < gif.length) said = controlAt(gif, at)
      at = dataEnd(gif, at + 2).end
    } else if (kind === image && at + 11 < gif.length) {
      const { frame, end } = frameAt(gif, { at, common, said })
      yield frame
      said = { disposal: keep, delay: 0, clear: undefined }
      at = end
    } else return
  }
}

function controlAt(gif: Buffer, at: number): Control {
  const flags = gif.readUInt8(at + 3)
  const disposal = (flags >> 2) & 7
  return {
    // Alternative value that some programs write.
    disposal: disposal === 4 ? previous : disposal,
    delay: gif.readUInt16LE(at + 4),
    clear: flags & 1 ? gif.readUInt8(at + 6) : undefined,
  }
}

function frameAt(
  gif: Buffer,
  { at, common, said }: { at: number; common: Buffer; said: Control },
): { frame: Frame; end: number } {
  const flags = gif.readUInt8(at + 9)
  const own = paletteAt(gif, at + 10, flags)
  const colors = own.length > 0 ? own : common
  const palette = Buffer.alloc(paletteBytes)
  colors.copy(palette)
  const from = at + 10 + own.length
  const { end, isWhole } = dataEnd(gif, from + 1)
  const data = gif.subarray(from, end)
  const [left, top, width, height] = [1, 3, 5, 7].map((field) => gif.readUInt16LE(at + field))
  return {
    frame: {
      ...{ left: left ?? 0, top: top ?? 0, width: width ?? 0, height: height ?? 0 },
      ...{ isInterlaced: (flags & 0x40) !== 0, palette, isWhole, ...said },
      data: isWhole ? data : Buffer.concat([data, Buffer.alloc(1)]),
      // A clear colour outside the palette matches no pixel.
      clear: (said.clear ?? 256) * 3 < colors.length ? said.clear : undefined,
    },
    end,
  }
}

function paletteAt(gif: Buffer, at: number, flags: number): Buffer {
  return gif.subarray(at, at + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0))
}

/** Skips blocks of data until the empty one; if that is missing, until the last whole one. */
function dataEnd(gif: Buffer, from: number): { end: number; isWhole: boolean } {
  for (let at = from; at < gif.length; ) {
    const next = at + 1 + (gif[at] ?? 0)
    if (next === at + 1) return { end: next, isWhole: true }
    if (next > gif.length) return { end: at, isWhole: false }
    at = next
  }
  return { end: gif.length, isWhole: false }
}
