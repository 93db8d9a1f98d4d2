import { shorten } from '../../markup/css.ts'
import type { ResolvedVisual } from '../../visuals/resolved.ts'
import type { CodeSheets } from './code-sheets.ts'
import type { Warning } from './warning.ts'

/** Most URLs that one element's warning names. */
const urlsMax = 3

/** Warns of pictures and sheets that custom CSS names by URL: its page has no network. */
export function unloadedFiles(visuals: readonly ResolvedVisual[], sheetOf: CodeSheets): Warning[] {
  return visuals.flatMap((visual): Warning[] => {
    const urls = sheetOf(visual)?.unloaded ?? []
    if (urls.length === 0) return []
    const more = urls.length > urlsMax ? ` and ${urls.length - urlsMax} more` : ''
    const named = `${urls.slice(0, urlsMax).map(shorten).join(', ')}${more}`
    const message = `customCode.css is painted without ${named}: its files must be data: URLs.`
    const field = `${visual.field}.customCode.css`
    return [{ field, code: 'style_ignored', message: message.toWellFormed() }]
  })
}
