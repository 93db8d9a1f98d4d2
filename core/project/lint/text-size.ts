import { isUpright, type Scenery } from './scenery.ts'
import { quoted, type Warning } from './warning.ts'

/** Smallest readable letters, px. */
const leastFontSize = 8
/** Overflow without a warning, as a share of a line's font size: heights are guesses. */
const tolerance = 0.5

/** Warns of texts that are higher than their given box, and of texts too small to read. */
export function textSizes({ stages }: Scenery): Warning[] {
  const found = new Map<string, Warning>()
  for (const actor of stages.flatMap(({ actors }) => actors)) {
    const { visual, words } = actor
    if (!words || !isUpright(actor)) continue
    const { field } = visual
    const seen = words.lines.filter(({ look }) => look.color?.a !== 0 && look.opacity > 0)
    const small = seen.find(({ look }) => look.fontSize < leastFontSize)
    if (small) {
      const size = Math.round(small.look.fontSize * 10) / 10
      const message = `${quoted(small.text)} has a font size of ${size} px; text below ${leastFontSize} px is hard to read.`
      found.set(`tiny ${field}`, { field, code: 'tiny_text', message })
    }
    const last = seen.at(-1)
    const more = words.contentHeight - (visual.height ?? Number.POSITIVE_INFINITY)
    if (last && !words.loose && more > tolerance * last.look.fontSize) {
      const message = `The text is about ${Math.round(words.contentHeight)} px high, but its box is ${Math.round(visual.height ?? 0)} px: ${quoted(last.text)} lies below the box.`
      found.set(`high ${field}`, { field, code: 'text_overflow', message })
    }
  }
  return [...found.values()]
}
