import type { DrawCommand } from '../timeline/draw.ts'
import type { Rect, Size } from '../timeline/rect.ts'
import { areaOf } from './area.ts'

/**
 * Largest share of the canvas: a larger area saves too little over painting, reading and converting
 * whole frames.
 */
const shareMax = 1 / 2
/** Fewest frames, as the first one is painted whole. */
const framesMin = 3
/** Most commands of all frames together: comparing more costs more than painting less saves. */
const commandsMax = 100_000

/**
 * Returns the area in which the frames of a segment differ, even edges; the rest is painted once
 * for all. Undefined when too much of the canvas moves to gain by it, or the order of static
 * commands changes.
 */
export function movingArea(
  frames: readonly { readonly commands: readonly DrawCommand[] }[],
  { width, height }: Size,
): Rect | undefined {
  if (frames.length < framesMin || width % 2 === 1 || height % 2 === 1) return undefined
  if (frames.reduce((sum, { commands }) => sum + commands.length, 0) > commandsMax) return undefined
  const texts = frames.map(({ commands }) => commands.map((command) => JSON.stringify(command)))
  const [first = [], ...others] = texts
  const standing = new Set(first)
  for (const all of others) {
    const here = new Set(all)
    for (const text of standing) if (!here.has(text)) standing.delete(text)
  }
  const nextChange = (all: readonly string[]) => all.filter((text) => standing.has(text)).join()
  const still = nextChange(first)
  if (others.some((all) => nextChange(all) !== still)) return undefined
  const moving = frames.flatMap(({ commands }, nth) =>
    commands.filter((_, at) => !standing.has(texts[nth]?.[at] ?? '')),
  )
  const area = areaOf(moving, { width, height })
  return area && area[2] * area[3] <= width * height * shareMax ? area : undefined
}
