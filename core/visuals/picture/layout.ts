import { FarmError } from '../../errors.ts'
import { colorFilter, type Fit, fitInto, fitOf, radiiOf } from '../../looks/picture.ts'
import type { Pixels } from '../../timeline/draw.ts'
import { exact } from '../../timeline/exact.ts'
import { type ClipFacts, type Facts, mediaKey } from '../../timeline/facts.ts'
import { placeBox } from '../../timeline/placing.ts'
import type { Rect, Size } from '../../timeline/rect.ts'
import type { Play } from '../../timeline/types.ts'
import { colorKey, type Layout, type LayoutContext, manner, missing } from '../layout.ts'
import type { PictureBase } from './resolved.ts'

/** Pixels, and the part of them that is drawn. */
type Drawn = { readonly pixels: Pixels; readonly source: Rect }

/** Pixels and size of a medium; for a clip, its playback as well. */
type Shown = Size & Pick<Layout, 'pixels' | 'play'>

/** Lays out a picture or clip. `fit`: into a box of given edges, without `resize`. */
export function layoutPicture(
  image: PictureBase,
  { width, height, ...shown }: Shown,
  { canvas, fit }: Pick<LayoutContext, 'canvas'> & { readonly fit: Fit },
): Layout {
  const whole: Rect = [0, 0, width, height]
  const source = image.crop ? cropOf(image.crop, whole, image.field) : whole
  const natural = { width: source[2], height: source[3] }
  const box = placeBox(image, sizeOf(image, natural, canvas), { canvas })
  const drawn = fitInto({ source, box, resize: fitOf(image, fit) })
  const radii = radiiOf(image)
  const needsClip = image.zoomDepth !== 1 || radii.some((radius) => radius > 0)
  const filter = colorFilter(image.filter, box)
  const reducedTo = reduced(shown.pixels, { ...drawn, zoomDepth: image.zoomDepth })
  const isFilling = String(drawn.dest) === `0,0,${canvas.width},${canvas.height}`
  const isAsItIs = !needsClip && !filter && !shown.pixels.key
  return {
    ...shown,
    ...drawn,
    ...(isFilling && isAsItIs ? evenlyCropped(reducedTo) : reducedTo),
    box,
    ...(needsClip && { clip: { rect: drawn.dest, radii } }),
    ...manner(image),
    zoomDepth: image.zoomDepth,
    ...(filter && { filter }),
  }
}

/** Returns the pixels of a still picture. */
export function stillOf(visual: PictureBase, { media }: Facts): Shown {
  const key = visual.chromaKey && { key: colorKey(visual.chromaKey) }
  const found = media.get(mediaKey({ expect: 'image', url: visual.src }))
  if (found?.facts.kind !== 'image') throw missing(visual.field)
  const { digest, facts } = found
  const { width, height } = facts
  return { pixels: { kind: 'media', digest, ...key }, width, height }
}

/** Returns the pixels of a clip, and how `play` plays it. */
export function clipOf(
  visual: PictureBase,
  { media }: Facts,
  { expect, play: playOf }: { expect: ClipFacts['kind']; play: (clip: ClipFacts) => Play },
): Shown {
  const key = visual.chromaKey && { key: colorKey(visual.chromaKey) }
  const found = media.get(mediaKey({ expect, url: visual.src }))
  if (found?.facts.kind !== expect) throw missing(visual.field)
  const { digest, facts } = found
  const { width, height } = facts
  const play = playOf(facts)
  const { first: frame, frameRate } = play
  const size = [width, height] as const
  return { pixels: { kind: 'clip', digest, frame, frameRate, size, ...key }, play, width, height }
}

/**
 * Decodes a clip no larger than it is ever drawn: decoding is most of the work for 4K in a small
 * film. A colour key needs the source's own pixels, so a clip with one is not reduced.
 */
function reduced(
  pixels: Pixels,
  { source, dest, zoomDepth }: { source: Rect; dest: Rect; zoomDepth: number },
): Drawn {
  const scale = Math.max(dest[2] / source[2], dest[3] / source[3]) * zoomDepth
  if (pixels.kind !== 'clip' || pixels.key || scale >= 1) return { pixels, source }
  const [width, height] = pixels.size
  const across = wholePx(width * scale) / width
  const down = wholePx(height * scale) / height
  const [x, y, wide, high] = source
  return {
    pixels: { ...pixels, size: [wholePx(width * scale), wholePx(height * scale)] },
    source: [exact(x * across), exact(y * down), exact(wide * across), exact(high * down)],
  }
}

/** Shorter sides are cropped as they are: there a pixel more or less could be seen. */
const evenCropMin = 64

/**
 * Crops a clip that fills the canvas at even pixels, at most two from where it is asked: so the decoder can
 * crop it, and its pixels need not leave ffmpeg (decision 0157).
 */
function evenlyCropped({ pixels, source }: Drawn): Drawn {
  const [x, y, width, height] = source
  if (pixels.kind !== 'clip' || Math.min(width, height) < evenCropMin) return { pixels, source }
  const [columns, rows] = pixels.size
  if (width === columns && height === rows) return { pixels, source }
  const even = (px: number, most: number) => Math.min(2 * Math.round(px / 2), most - (most % 2))
  const [wide, high] = [even(width, columns), even(height, rows)]
  return { pixels, source: [even(x, columns - wide), even(y, rows - high), wide, high] }
}

const wholePx = (px: number) => Math.max(1, Math.ceil(exact(px)))

/**
 * Size of an element's box: as given; the missing side from the picture's shape; nothing given =
 * the picture's own size, or the whole canvas with `resize`.
 */
function sizeOf(visual: PictureBase, natural: Size, canvas: Size): Size {
  const { width, height } = visual
  if (width !== undefined && height !== undefined) return { width, height }
  if (width !== undefined) return { width, height: (width * natural.height) / natural.width }
  if (height !== undefined) return { width: (height * natural.width) / natural.height, height }
  return visual.resize ? { width: canvas.width, height: canvas.height } : natural
}

/** Clips a crop to the picture; a crop wholly outside is the customer's mistake. */
function cropOf(
  crop: { x: number; y: number; width: number; height: number },
  whole: Rect,
  field: string,
): Rect {
  const right = Math.min(whole[2], crop.x + crop.width)
  const bottom = Math.min(whole[3], crop.y + crop.height)
  if (crop.x >= right || crop.y >= bottom) {
    throw new FarmError(
      'element_invalid',
      `cropParams must overlap the picture, which is ${whole[2]}x${whole[3]} px. Got x ${crop.x}, y ${crop.y}.`,
      { field: `${field}.cropParams` },
    )
  }
  return [crop.x, crop.y, right - crop.x, bottom - crop.y]
}
