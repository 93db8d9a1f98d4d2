import {
  bundledFamilies,
  familyMeant,
  familyNames,
  paintedFamily,
  substituteName,
} from '../../looks/families.ts'
import { createScanner } from '../../markup/scan.ts'
import { nearest } from '../nearest.ts'
import type { Scenery } from './scenery.ts'
import { readDeclarations } from './styles.ts'
import type { Warning } from './warning.ts'

/** Most markup that is searched for fonts. */
const maxMarkup = 200_000

/** Warns of font families before the first one that ships with the farm. */
export function unknownFonts(
  { stages }: Scenery,
  captions?: { readonly family: string; readonly field: string },
): Warning[] {
  const validated = new Map<string, readonly string[]>()
  let markup = 0
  const ofCaptions = captions ? warningsOf(captions.family, captions) : []
  const ofVisuals = stages
    .flatMap(({ actors }) => actors)
    .flatMap(({ visual, words }) => {
      if ('code' in visual && !validated.has(visual.code.css)) {
        markup += visual.code.css.length
        if (markup <= maxMarkup) validated.set(visual.code.css, cssFamilies(visual.code.css))
      }
      const field = `${visual.field}.customCode.css`
      const inCode = 'code' in visual ? (validated.get(visual.code.css) ?? []) : []
      const ofCode = [...new Set(inCode)].flatMap((value) => warningsOf(value, { field }))
      const source = visual.type === 'SVG' ? visual.svg : ''
      markup += validated.has(source) ? 0 : source.length
      if (markup > maxMarkup) return ofCode
      const values =
        words?.lines.map(({ look }) => look.families) ??
        validated.get(source) ??
        svgFamilies(source)
      if (!words) validated.set(source, values)
      return [...ofCode, ...[...new Set(values)].flatMap((value) => warningsOf(value, visual))]
    })
  return [...ofCaptions, ...ofVisuals]
}

/** Returns the values of `font-family` in a style sheet; one with fonts of its own has none. */
function cssFamilies(css: string): string[] {
  if (/@font-face/i.test(css)) return []
  return css
    .replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, '')
    .split(/[{}]/)
    .flatMap((block) => readDeclarations(block).get('font-family') ?? [])
    .filter((value) => !/var\(|^(?:inherit|initial|unset|revert)/i.test(value))
}

/** Longest message: names can be of any length. */
const maxMessage = 500

/** Returns the values of `font-family` in an SVG with text. */
function svgFamilies(svg: string): string[] {
  if (!svg.includes('<text') && !svg.includes('<tspan')) return []
  const values: string[] = []
  const scanner = createScanner(svg)
  for (let piece = scanner.next(); piece; piece = scanner.next()) {
    if (piece.kind !== 'tag' || piece.closing) continue
    const styled = readDeclarations(piece.attributes.get('style') ?? '').get('font-family')
    const value = styled ?? piece.attributes.get('font-family')
    if (value !== undefined) values.push(value)
  }
  return values
}

function warningsOf(value: string, { field }: { readonly field: string }): Warning[] {
  const names = familyNames(value)
  const known = names.findIndex((name) => familyMeant(name) !== undefined)
  const substituted = substituteName(value)
  const unknown = (known === -1 ? names : names.slice(0, known))
    .map(({ name }) => name)
    .filter((name) => name !== 'inherit')
    .concat(substituted ?? [])
  if (unknown.length === 0) return []
  const [first = ''] = unknown
  const meant = unknown.length === 1 && substituted === undefined && nearest(first, bundledFamilies)
  const hint = meant ? ` Did you mean "${meant}"?` : ''
  const list = unknown.map((name) => `"${name}"`).join(', ')
  const come = unknown.length === 1 ? 'The font family' : 'The font families'
  const verb = unknown.length === 1 ? 'does' : 'do'
  const painted = `${substituted === undefined ? '' : 'its metric twin '}${paintedFamily(value)}`
  const message = `${come} ${list} ${verb} not come with the farm; ${painted} is painted instead.${hint}`
  return [{ field, code: 'unknown_font', message: message.slice(0, maxMessage).toWellFormed() }]
}
