import { missingCaptionGlyphs } from '../../captions/documents.ts'
import { askedFamilies, fallbackFamilies } from '../../looks/family-chain.ts'
import { missingCharacters, missingGlyphMessage } from '../../looks/missing-glyphs.ts'
import { textDefaults } from '../../looks/text-page.ts'
import { rawTags, silentTags } from '../../markup/rules.ts'
import { visualTypeOf } from '../../visuals/visual-types.ts'
import type { ResolvedProject } from '../resolved.ts'
import { isHidden } from './boxes.ts'
import type { CodeSheets } from './code-sheets.ts'
import { type Branch, readTree } from './markup-tree.ts'
import { type Declarations, declarationsOf } from './styles.ts'
import type { Warning } from './warning.ts'

/** Most markup that is searched, all together; the bakes warn about the rest. */
const maxMarkup = 200_000

/** Warns of characters that no font of their element's chain can show; the bakes use the same table. */
export function missingGlyphs(project: ResolvedProject, sheetOf: CodeSheets): Warning[] {
  const validated = new Map<string, readonly string[]>()
  let markup = 0
  const visuals = [...project.scenes.flatMap((scene) => scene.visuals), ...project.visuals]
  const ofVisuals = visuals.flatMap((visual): Warning[] => {
    const content = visualTypeOf(visual).painted?.markup(visual)
    if (!content || isPlain(content.markup)) return []
    // The characters of fonts in custom code are unknown.
    if ((sheetOf(visual)?.ownFamilies.length ?? 0) > 0) return []
    const { markup: source, style } = content
    const own = declarationsOf(style)
    const key = JSON.stringify([source, [...own]])
    let missing = validated.get(key)
    if (!missing) {
      markup += source.length
      if (markup > maxMarkup) return []
      missing = missingInMarkup(source, own)
      validated.set(key, missing)
    }
    if (missing.length === 0) return []
    const message = missingGlyphMessage(missing)
    return [{ field: visual.field, code: 'missing_glyph', message }]
  })
  return [...ofVisuals, ...missingCaptionGlyphs(project, new Map())]
}

/** True for most markup: no character that a font may lack, and no reference to one. */
function isPlain(markup: string): boolean {
  return /^[\0-\u017f]*$/.test(markup) && !/&(?!(?:amp|lt|gt|quot|nbsp);)/.test(markup)
}

function missingInMarkup(markup: string, own: Declarations): readonly string[] {
  const texts = new Map<string, string>()
  addTexts(readTree(markup, own), textDefaults.fontFamily, texts)
  const fallbacks = fallbackFamilies([...texts.values()].join(''))
  const ofSheets = sheetFamilies(markup).flatMap(askedFamilies)
  const missing = [...texts].flatMap(([families, text]) =>
    missingCharacters(text, [...askedFamilies(families), ...ofSheets, ...fallbacks]),
  )
  return [...new Set(missing)]
}

/** Collects the visible texts by computed families. */
function addTexts(branch: Branch, inherited: string, texts: Map<string, string>): void {
  if (isHidden(branch) || silentTags.has(branch.tag) || rawTags.has(branch.tag)) return
  const given = branch.own.get('font-family')
  const families = given === undefined || given === 'inherit' ? inherited : given
  for (const child of branch.children) {
    if (typeof child === 'string') texts.set(families, (texts.get(families) ?? '') + child)
    else addTexts(child, families, texts)
  }
}

/** Families that sheets in an SVG name; any of its texts may use them. */
function sheetFamilies(markup: string): string[] {
  if (!/<style/i.test(markup)) return []
  return [...markup.matchAll(/font-family\s*:([^;}<]{1,300})/gi)].map(([, value = '']) => value)
}
