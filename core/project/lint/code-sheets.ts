import type { CodeCss } from '../../markup/code-css.ts'
import type { ResolvedVisual } from '../../visuals/resolved.ts'
import type { ResolveWork } from '../shared-work.ts'

/** Most CSS that is read, all together. */
const maxCss = 200_000

/** Returns a visual's custom style sheet; undefined where it has none, or too much was read before. */
export type CodeSheets = (visual: ResolvedVisual) => CodeCss | undefined

/** Reads each distinct sheet of a project once, for all lints. */
export function createCodeSheets({ readCodeCss }: Pick<ResolveWork, 'readCodeCss'>): CodeSheets {
  const sheets = new Map<string, CodeCss | undefined>()
  let characters = 0
  return (visual) => {
    if (!('code' in visual)) return undefined
    const { css } = visual.code
    if (!sheets.has(css)) {
      characters += css.length
      sheets.set(css, characters > maxCss ? undefined : readCodeCss(css))
    }
    return sheets.get(css)
  }
}
