import sharp from 'sharp'
import type { BakeDocument } from '../../../core/queue/tasks.ts'
import type { BakedPicture } from '../../../worker/bake/paint.ts'
import { html, type PixelAt } from './baking.ts'

type Code = NonNullable<BakeDocument['code']>

/** A place on the canvas where nothing is soon cut off. */
const turn = { angle: 0, flipH: false, flipV: false }
export const place: Code['place'] = {
  ...turn,
  x: 200,
  y: 200,
  position: 'custom',
  anchor: 'top-left',
}

/** One red word, and the code that moves it: ten frames a second, for a fifth of one. */
export function coded(code: Partial<Code>, more: Partial<BakeDocument> = {}): BakeDocument {
  const { duration = 0.2 } = code
  return html('<b class="word">word</b>', {
    style: { fontSize: '30px', color: '#d02020' },
    field: 'scenes[1].visuals[2]',
    canvas: { width: 640, height: 480 },
    code: { css: '', js: '', duration, until: duration, frameRate: 10, place, ...code },
    ...more,
  })
}

/** RGBA of animation frame `k`, at a point of the element's box. */
export async function momentOf({ png, moments }: BakedPicture, k: number): Promise<PixelAt> {
  const moment = moments?.pictures[moments.order[k] ?? -1]
  if (!moment) throw new Error(`There must be a moment ${k}`)
  const part = png.subarray(moment.offset, moment.offset + moment.bytes)
  const { data, info } = await sharp(part).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return (x, y) => {
    const [column, row] = [x - moment.inkX, y - moment.inkY]
    const isInside = column >= 0 && row >= 0 && column < info.width && row < info.height
    const at = (row * info.width + column) * 4
    return isInside ? [...data.subarray(at, at + 4)] : [0, 0, 0, 0]
  }
}

export const isInk = ([, , , alpha = 0]: number[]) => alpha > 128
