import { readCodeCss } from '../../markup/code-css.ts'
import { shorten } from '../../markup/css.ts'
import type { ResolvedVisual } from '../resolved.ts'
import type { Warning } from './warning.ts'

/** Most CSS that is searched, all together. */
const maxCss = 200_000
/** Most URLs that one element's warning names. */
const urlsMax = 3

/** Warns of pictures and sheets that custom CSS names by URL: its page has no network. */
export function unloadedFiles(visuals: readonly ResolvedVisual[]): Warning[] {
  const found = new Map<string, readonly string[]>()
  let length = 0
  return visuals.flatMap((visual): Warning[] => {
    if (!('code' in visual)) return []
    const { css } = visual.code
    if (!found.has(css)) {
      length += css.length
      if (length > maxCss) return []
      found.set(css, readCodeCss(css).unloaded)
    }
    const urls = found.get(css) ?? []
    if (urls.length === 0) return []
    const more = urls.length > urlsMax ? ` and ${urls.length - urlsMax} more` : ''
    const named = `${urls.slice(0, urlsMax).map(shorten).join(', ')}${more}`
    const message = `customCode.css is painted without ${named}: its files must be data: URLs.`
    const field = `${visual.field}.customCode.css`
    return [{ field, code: 'style_ignored', message: message.toWellFormed() }]
  })
}
