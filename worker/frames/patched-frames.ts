import { seenFrom } from '../../core/plan/area.ts'
import type { DrawCommand } from '../../core/timeline/draw.ts'
import type { Rect, Size } from '../../core/timeline/rect.ts'
import { createYuvConverter, type YuvConverter } from '../encode/yuv/yuv.ts'
import type { Painter } from '../paint/painter.ts'

/**
 * Frames of which only one area changes (core/plan/moving-area.ts), as planar YUV 4:2:0. The first
 * is painted completely; then each frame's area is painted alone and patched in. The first frame
 * gets a patch too: painting at other coordinates may round differently, and so all frames do
 * alike. The result does not depend on earlier frames.
 */
export class PatchedFrames {
  readonly #area: Rect
  readonly #size: Size
  readonly #painter: Painter
  readonly #yuv: YuvConverter
  readonly #makeWhole: (commands: readonly DrawCommand[]) => Promise<Buffer>
  /** Used in turn: the last one may still be on its way to the encoder. */
  #frames: readonly [Buffer, Buffer] | undefined
  #turn: 0 | 1 = 0

  /**
   * Takes even edges of canvas and area. `painter`: of the area's size. `makeWhole`: paints a
   * complete frame, as YUV.
   */
  constructor({
    area,
    size,
    painter,
    makeWhole,
  }: {
    area: Rect
    size: Size
    painter: Painter
    makeWhole: (commands: readonly DrawCommand[]) => Promise<Buffer>
  }) {
    this.#area = area
    this.#size = size
    this.#painter = painter
    this.#makeWhole = makeWhole
    this.#yuv = createYuvConverter({ width: area[2], height: area[3] })
  }

  /** Returns the frame; its bytes stay valid until the call after the next. */
  async make(commands: readonly DrawCommand[]): Promise<Buffer> {
    const frames = this.#frames ?? (await this.#begin(commands))
    const [, , width, height] = this.#area
    const frame = { width, height, commands: seenFrom(commands, this.#area) }
    const patch = this.#yuv.convert(await this.#painter.paint(frame))
    this.#turn = this.#turn === 0 ? 1 : 0
    const into = frames[this.#turn]
    putPlanes(patch, { area: this.#area, into, size: this.#size })
    return into
  }

  async #begin(commands: readonly DrawCommand[]): Promise<readonly [Buffer, Buffer]> {
    const whole = await this.#makeWhole(commands)
    this.#frames = [Buffer.from(whole), Buffer.from(whole)]
    return this.#frames
  }
}

/** Copies Y, then U and V, each of half the width and height. */
function putPlanes(
  patch: Buffer,
  { area, into, size }: { area: Rect; into: Buffer; size: Size },
): void {
  const [x, y, width, height] = area
  let from = 0
  let plane = 0
  for (const share of [1, 2, 2]) {
    const stride = size.width / share
    const [left, top, wide, high] = [x / share, y / share, width / share, height / share]
    for (let row = 0; row < high; row += 1) {
      patch.copy(into, plane + (top + row) * stride + left, from, from + wide)
      from += wide
    }
    plane += stride * (size.height / share)
  }
}
