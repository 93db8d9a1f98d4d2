import { FarmError } from '../errors.ts'
import { colorFilter, fitInto, fitOf, radiiOf } from '../looks/picture.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { BakeFacts } from '../queue/tasks.ts'
import { playOf } from '../timeline/clip.ts'
import type { ColorKey, Pixels } from '../timeline/draw.ts'
import { exact } from '../timeline/exact.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { placeBox } from '../timeline/placing.ts'
import type { Padding, Rect, Size } from '../timeline/rect.ts'
import type { TimedElement } from '../timeline/types.ts'
import type { ResolvedChromaKey } from './effects.ts'
import type { ResolvedGif } from './gif/resolved.ts'
import type { ResolvedImage } from './image/resolved.ts'
import { bakeDocument, bakeKeyText } from './painted/bake-document.ts'
import type { ResolvedVisual } from './resolved.ts'
import type { ResolvedSvg } from './svg/resolved.ts'
import type { ResolvedText } from './text/resolved.ts'
import type { ResolvedVideo } from './video/resolved.ts'

type Layout = Omit<
  TimedElement,
  'field' | 'begin' | 'enterEnd' | 'exitBegin' | 'exitEnd' | 'end' | 'enter' | 'exit' | 'link'
>

/**
 * Returns a visual's position, and the part of the picture that it shows. Boxes have whole-pixel
 * edges: text stays crisp, and the transitions' edges fall on pixels.
 */
export function layoutVisual(
  visual: ResolvedVisual,
  { canvas, facts }: { canvas: ResolvedProject; facts: Facts },
): Layout {
  switch (visual.type) {
    case 'IMAGE':
    case 'GIF':
    case 'VIDEO':
      return layoutPicture(visual, canvas, facts)
    case 'TEXT':
      return layoutText(visual, canvas, facts)
    case 'SVG':
      return layoutSvg(visual, canvas, facts)
    default:
      return visual satisfies never
  }
}

type PictureVisual = ResolvedImage | ResolvedGif | ResolvedVideo

function layoutPicture(image: PictureVisual, canvas: ResolvedProject, facts: Facts): Layout {
  const { width, height, ...shown } = pixelsOf(image, facts)
  const whole: Rect = [0, 0, width, height]
  const source = image.crop ? cropOf(image.crop, whole, image.field) : whole
  const natural = { width: source[2], height: source[3] }
  const box = placeBox(image, sizeOf(image, natural, canvas), { canvas })
  const drawn = fitInto({ source, box, resize: fitOf(image) })
  const radii = radiiOf(image)
  const needsClip = image.zoomDepth !== 1 || radii.some((radius) => radius > 0)
  const filter = colorFilter(image.filter, box)
  return {
    ...shown,
    ...drawn,
    ...reduced(shown.pixels, { ...drawn, zoomDepth: image.zoomDepth }),
    box,
    ...(needsClip && { clip: { rect: drawn.dest, radii } }),
    ...manner(image),
    zoomDepth: image.zoomDepth,
    ...(filter && { filter }),
  }
}

/** Pixels and size of a visual's medium; for a clip, its playback as well. */
function pixelsOf(visual: PictureVisual, facts: Facts): Size & Pick<Layout, 'pixels' | 'play'> {
  const key = visual.chromaKey && { key: colorKey(visual.chromaKey) }
  const media = facts.media.get(mediaKey({ expect: expected[visual.type], url: visual.src }))
  if (media?.facts.kind !== expected[visual.type]) throw missing(visual.field)
  const { digest, facts: found } = media
  const { width, height } = found
  if (found.kind === 'image' || visual.type === 'IMAGE') {
    return { pixels: { kind: 'media', digest, ...key }, width, height }
  }
  const play = playOf(visual, found)
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
): { pixels: Pixels; source: Rect } {
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

const wholePx = (px: number) => Math.max(1, Math.ceil(exact(px)))

const expected = { IMAGE: 'image', GIF: 'gif', VIDEO: 'video' } as const

/** Lays out a baked picture, pixel for pixel; with `cover` it is clipped to its box. */
function layoutText(text: ResolvedText, canvas: ResolvedProject, facts: Facts): Layout {
  const { bake, box } = bakedBox(text, canvas, facts)
  return {
    ...bakedShown(bake, (ink) => ({
      pixels: { kind: 'bake', digest: bake.digest, ...sliceOf(ink) },
      source: [0, 0, ink.inkWidth, ink.inkHeight],
      dest: [box[0] + ink.inkX, box[1] + ink.inkY, ink.inkWidth, ink.inkHeight],
    })),
    box,
    ...(text.resize === 'cover' && { clip: { rect: box, radii: [0, 0, 0, 0] } }),
    ...manner(text),
    zoomDepth: 1,
  }
}

function layoutSvg(svg: ResolvedSvg, canvas: ResolvedProject, facts: Facts): Layout {
  const { bake, box } = bakedBox(svg, canvas, facts)
  const filter = colorFilter(svg.filter, box)
  const shown = (ink: Ink): Shown => {
    const padding = filter?.blur ? paddingInBox(ink, box) : undefined
    const { left, top, right, bottom } = padding ?? { left: 0, top: 0, right: 0, bottom: 0 }
    const width = left + ink.inkWidth + right
    const height = top + ink.inkHeight + bottom
    return {
      pixels: {
        kind: 'bake',
        digest: bake.digest,
        ...sliceOf(ink),
        ...(svg.chromaKey && { key: colorKey(svg.chromaKey) }),
        ...(padding && { room: padding }),
      },
      source: [0, 0, width, height],
      dest: [box[0] + ink.inkX - left, box[1] + ink.inkY - top, width, height],
    }
  }
  return {
    ...bakedShown(bake, shown),
    box,
    ...manner(svg),
    zoomDepth: 1,
    ...(filter && { filter }),
  }
}

type Shown = Pick<TimedElement, 'pixels' | 'source' | 'dest'>
type AnimationPicture = NonNullable<BakeFacts['moments']>['pictures'][number]
type Ink = Pick<BakeFacts, 'inkX' | 'inkY' | 'inkWidth' | 'inkHeight'> & Partial<AnimationPicture>

/** Returns what an element shows first, and its other animation frames, if any. */
function bakedShown(
  { moments, ...still }: BakeFacts,
  shown: (ink: Ink) => Shown,
): Shown & Pick<TimedElement, 'moments'> {
  const [first] = moments?.pictures ?? []
  if (!moments || !first) return shown(inkOf(still))
  const { frameRate, pictures, order } = moments
  const all = { frameRate, shown: pictures.map(shown), order }
  return { ...shown(first), moments: all }
}

const inkOf = ({ inkX, inkY, inkWidth, inkHeight }: Ink) => ({ inkX, inkY, inkWidth, inkHeight })

const sliceOf = ({ offset, bytes }: Ink) =>
  offset !== undefined && bytes !== undefined ? { slice: [offset, bytes] as const } : {}

function bakedBox(visual: ResolvedText | ResolvedSvg, canvas: ResolvedProject, facts: Facts) {
  const document = bakeDocument(visual, canvas, facts.media)
  const bake = document && facts.bakes.get(bakeKeyText(document))
  if (!bake) throw missing(visual.field)
  return { bake, box: placeBox(visual, bake, { canvas, margin: bake.margin }) }
}

/** Empty part of the box around the ink, into which a blur spreads. */
function paddingInBox(bake: Ink, [, , width, height]: Rect): Padding {
  return {
    left: Math.max(0, bake.inkX),
    top: Math.max(0, bake.inkY),
    right: Math.max(0, width - bake.inkX - bake.inkWidth),
    bottom: Math.max(0, height - bake.inkY - bake.inkHeight),
  }
}

const manner = (visual: ResolvedVisual) => ({
  opacity: visual.opacity,
  angle: visual.angle,
  flipH: visual.flipH,
  flipV: visual.flipV,
})

/**
 * Size of an element's box: as given; the missing side from the picture's shape; nothing given =
 * the picture's own size, or the whole canvas with `resize`.
 */
function sizeOf(visual: ResolvedVisual, natural: Size, canvas: Size): Size {
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

/** Converts percent to fractions. */
function colorKey({ color, similarity, blend }: ResolvedChromaKey): ColorKey {
  return { color, similarity: similarity / 100, blend: blend / 100 }
}

function missing(field: string): FarmError {
  return new FarmError('internal', `No facts for ${field}: it was not ingested or baked.`, {
    field,
  })
}
