import {
  bundledFamilies,
  type FamilyName,
  familyMeant,
  familyNames,
  paintedFamily,
  substituteName,
} from '../../looks/families.ts'
import type { CodeCss } from '../../markup/code-css.ts'
import { createScanner } from '../../markup/scan.ts'
import { nearest } from '../nearest.ts'
import type { CodeSheets } from './code-sheets.ts'
import type { Scenery } from './scenery.ts'
import { readDeclarations } from './styles.ts'
import type { Warning } from './warning.ts'

/** Most markup that is searched for fonts. */
const maxMarkup = 200_000

/** Warns of font families before the first one that ships with the farm or with its element. */
export function unknownFonts(
  { stages }: Scenery,
  sheetOf: CodeSheets,
  captions?: { readonly family: string; readonly field: string },
): Warning[] {
  const validated = new Map<string, readonly string[]>()
  const sheets = new Map<CodeCss, Sheet>()
  let characters = 0
  const ofCaptions = captions ? warningsOf(captions.family, captions) : []
  const ofVisuals = stages
    .flatMap(({ actors }) => actors)
    .flatMap(({ visual, markup, words }) => {
      const field = `${visual.field}.customCode.css`
      const { families, faces, own } = fontsOf(sheetOf(visual), sheets)
      const ofCode = [
        ...faces.map((face) => faceWarning(face, field)),
        ...families.flatMap((value) => warningsOf(value, { field, own })),
      ]
      const source = markup?.kind === 'svg' ? markup.markup : ''
      characters += validated.has(source) ? 0 : source.length
      if (characters > maxMarkup) return ofCode
      const values =
        words?.lines.map(({ look }) => look.families) ??
        validated.get(source) ??
        svgFamilies(source)
      if (!words) validated.set(source, values)
      const ofMarkup = [...new Set(values)].flatMap((value) =>
        warningsOf(value, { field: visual.field, own }),
      )
      return [...ofCode, ...ofMarkup]
    })
  return [...ofCaptions, ...ofVisuals]
}

/** Fonts of a style sheet. */
type Sheet = {
  /** Values of its `font-family`. */
  readonly families: readonly string[]
  /** Families whose `@font-face` is not loaded. */
  readonly faces: readonly string[]
  /** Families of every `@font-face`, in lower case; they need no other warning. */
  readonly own: ReadonlySet<string>
}

const noSheet: Sheet = { families: [], faces: [], own: new Set() }

function fontsOf(code: CodeCss | undefined, known: Map<CodeCss, Sheet>): Sheet {
  if (code === undefined) return noSheet
  const { css, ownFamilies, foreignFamilies } = code
  const own = new Set([...ownFamilies, ...foreignFamilies].map((name) => name.toLowerCase()))
  const sheet = known.get(code) ?? { families: cssFamilies(css), faces: foreignFamilies, own }
  known.set(code, sheet)
  return sheet
}

function faceWarning(family: string, field: string): Warning {
  const bundled = familyMeant({ name: family, quoted: true })
  const instead = bundled ? `the farm's ${bundled}` : 'the next family'
  const name = JSON.stringify(family.slice(0, 100))
  const message = `The @font-face of ${name} is not loaded: its src must hold a data: URL. It is painted in ${instead} instead.`
  return { field, code: 'unknown_font', message: message.toWellFormed() }
}

/** Returns the distinct values of `font-family` in a style sheet. */
function cssFamilies(css: string): string[] {
  const values = css
    .replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, '')
    .replace(/@font-face[^}]*/gi, '')
    .split(/[{}]/)
    .flatMap((block) => readDeclarations(block).get('font-family') ?? [])
    .filter((value) => !/var\(|^(?:inherit|initial|unset|revert)/i.test(value))
  return [...new Set(values)]
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

function warningsOf(
  value: string,
  { field, own = noSheet.own }: { readonly field: string; readonly own?: Sheet['own'] },
): Warning[] {
  const names = familyNames(value)
  const isOwn = ({ name }: FamilyName) => own.has(name.toLowerCase())
  const known = names.findIndex((name) => isOwn(name) || familyMeant(name) !== undefined)
  const taken = names[known]
  const substituted = taken && isOwn(taken) ? undefined : substituteName(value)
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
