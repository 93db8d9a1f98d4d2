import {
  bundledFamilies,
  familyMeant,
  familyNames,
  paintedFamily,
  substituteName,
} from '../../looks/families.ts'
import { createScanner } from '../../markup/scan.ts'
import { nearest } from '../nearest.ts'
import type { ResolvedVisual } from '../resolved.ts'
import type { Scenery } from './scenery.ts'
import { readDeclarations } from './styles.ts'
import type { Warning } from './warning.ts'

/** Most markup that is searched for fonts. */
const maxMarkup = 200_000

/** Warns of font families before the first one that ships with the farm. */
export function unknownFonts({ stages }: Scenery): Warning[] {
  const validated = new Map<string, readonly string[]>()
  let markup = 0
  return stages
    .flatMap(({ actors }) => actors)
    .flatMap(({ visual, words }) => {
      const source = visual.type === 'SVG' ? visual.svg : ''
      markup += validated.has(source) ? 0 : source.length
      if (markup > maxMarkup) return []
      const values =
        words?.lines.map(({ look }) => look.families) ??
        validated.get(source) ??
        svgFamilies(source)
      if (!words) validated.set(source, values)
      return [...new Set(values)].flatMap((value) => warningsOf(value, visual))
    })
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

function warningsOf(value: string, { field }: ResolvedVisual): Warning[] {
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
