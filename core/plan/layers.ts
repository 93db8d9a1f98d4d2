import type { DrawCommand, PictureCommand, TransitionCommand } from '../timeline/draw.ts'
import type { Rect, Size } from '../timeline/rect.ts'
import { areaOf } from './area.ts'
import type { Run } from './runs.ts'

/**
 * Layer of a frame whose photographs each cover the canvas; layers are blended without a canvas.
 * Weights are of 255. The photographs must be opaque, which is checked when they are decoded.
 */
export type Layer =
  | { readonly kind: 'photo'; readonly command: PictureCommand; readonly weight: number }
  /** Painted commands in an area that may exceed the canvas: left and width are multiples of 32, top and height even. */
  | { readonly kind: 'above'; readonly commands: readonly DrawCommand[]; readonly area: Rect }
  /** Nested layers, mixed in as one. */
  | { readonly kind: 'mix'; readonly layers: readonly SimpleLayer[]; readonly weight: number }

export type SimpleLayer = Exclude<Layer, { kind: 'mix' }>

/** Larger frames than 1080p are painted: their photographs would take too much memory. */
const pixelsMax = 1920 * 1088
/** Moving a photograph to another memory costs as much as painting a few frames. */
const runsMin = 8
/** Most layers of a frame, including those inside a mix. */
const layersMax = 8

/**
 * Returns the layers of each run's frame; undefined when some frame must be painted whole, or there
 * are too few to gain by it.
 */
export function layersOfRuns(
  runs: readonly Pick<Run, 'commands'>[],
  canvas: Size,
): (readonly Layer[])[] | undefined {
  if (!isFit(canvas) || runs.length < runsMin) return undefined
  const all: (readonly Layer[])[] = []
  for (const { commands } of runs) {
    const layers = layersOf(commands, canvas)
    if (!layers) return undefined
    all.push(layers)
  }
  return all
}

/** Returns whether a frame can be one of `layersOfRuns`. */
export function isComposable(commands: readonly DrawCommand[], canvas: Size): boolean {
  return isFit(canvas) && layersOf(commands, canvas) !== undefined
}

function isFit({ width, height }: Size): boolean {
  return width % 2 === 0 && height % 2 === 0 && width * height <= pixelsMax
}

/** Layers from the bottom. The first is a photograph at full weight; fills below it cannot be seen. */
function layersOf(commands: readonly DrawCommand[], canvas: Size): readonly Layer[] | undefined {
  const layers: Layer[] = []
  let above: DrawCommand[] = []
  const endAbove = () => {
    const area = areaOf(above, canvas)
    if (area) layers.push({ kind: 'above', commands: above, area: widened(area) })
    above = []
  }
  for (const command of commands.slice(commands.findIndex(({ op }) => op !== 'fill'))) {
    const covering = coveringLayers(command, canvas)
    if (covering) {
      endAbove()
      layers.push(...covering)
    } else above.push(command)
  }
  endAbove()
  const [bottom] = layers
  const isWhole = bottom?.kind === 'photo' && bottom.weight === 255
  return isWhole && countOf(layers) <= layersMax ? layers : undefined
}

function countOf(layers: readonly Layer[]): number {
  return layers.reduce(
    (sum, layer) => sum + 1 + (layer.kind === 'mix' ? layer.layers.length : 0),
    0,
  )
}

/** Returns the layers of one command that covers the canvas; undefined when it must be painted. */
function coveringLayers(command: DrawCommand, canvas: Size): readonly Layer[] | undefined {
  switch (command.op) {
    case 'fill':
      return undefined
    case 'picture':
      return isCovering(command, canvas)
        ? [{ kind: 'photo', command, weight: Math.round(command.opacity * 255) }]
        : undefined
    case 'transition':
      return fadeLayers(command, canvas)
    default:
      return command satisfies never
  }
}

/**
 * Mirrors `worker/paint/transition.ts` for a fade: of one picture, or from one whole side to another.
 */
function fadeLayers(
  { name, progress, box, from, to }: TransitionCommand,
  canvas: Size,
): readonly Layer[] | undefined {
  if (name !== 'fade' || String(box) !== `0,0,${canvas.width},${canvas.height}`) return undefined
  if (progress <= 0) return sideLayers(from, canvas)
  if (progress >= 1) return sideLayers(to, canvas)
  const weight = Math.round(progress * 255)
  if (from.length > 0 && to.length > 0) {
    const [below, above] = [layersOf(from, canvas), layersOf(to, canvas)]
    return below && above?.every(isSimple)
      ? [...below, { kind: 'mix', layers: above, weight }]
      : undefined
  }
  const layers = sideLayers([...from, ...to], canvas)
  const [only, ...others] = layers ?? []
  if (only?.kind !== 'photo' || others.length > 0) return undefined
  const share = from.length === 0 ? weight : 255 - weight
  // The picture may be fading already: an enter and an exit that overlap.
  return [{ ...only, weight: Math.round((only.weight * share) / 255) }]
}

/** Layers of one side: none, or possibly a single picture that is not opaque. */
function sideLayers(side: readonly DrawCommand[], canvas: Size): readonly Layer[] | undefined {
  const [first, ...others] = side
  if (first === undefined) return []
  return others.length === 0 ? coveringLayers(first, canvas) : layersOf(side, canvas)
}

function isSimple(layer: Layer): layer is SimpleLayer {
  return layer.kind !== 'mix'
}

/** True where a photograph, upright and unchanged, fills the canvas to its edges. */
function isCovering(
  { pixels, dest, clip, matrix, filter }: PictureCommand,
  { width, height }: Size,
): boolean {
  if (pixels.kind !== 'media' || pixels.key || pixels.room || filter) return false
  const [a, b, c, d, e, f] = matrix
  if (a <= 0 || d <= 0 || b !== 0 || c !== 0) return false
  const covers = ([x, y, wide, high]: Rect) =>
    a * x + e <= 0 && d * y + f <= 0 && a * (x + wide) + e >= width && d * (y + high) + f >= height
  return covers(dest) && (!clip || (clip.radii.every((px) => px === 0) && covers(clip.rect)))
}

/** Step of an area's left and width, px: whole vectors of WebAssembly in planes of half the width. */
const areaStep = 32

function widened([x, y, width, height]: Rect): Rect {
  const left = x - (x % areaStep)
  return [left, y, Math.ceil((x + width - left) / areaStep) * areaStep, height]
}
