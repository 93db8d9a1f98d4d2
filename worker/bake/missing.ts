import { FarmError } from '../../core/errors.ts'
import type { BundledFamily } from '../../core/looks/families.ts'
import type { FamilyChain } from '../../core/looks/family-chain.ts'
import {
  listedCharacters,
  missingCharacters,
  missingGlyphMessage,
} from '../../core/looks/missing-glyphs.ts'
import type { BakeWarning } from '../../core/queue/tasks.ts'

/** Families and characters of an element that no font has. */
type Missing = {
  readonly families: readonly MissingFamily[]
  readonly characters: readonly string[]
}
type MissingFamily = {
  readonly name: string
  readonly instead: BundledFamily
  readonly isSubstituted: boolean
}

/** Most families that a warning names. */
const familiesMax = 20

/**
 * Finds what is missing. `styles`: the chain of each computed family with its text. `absent`:
 * families that neither the farm nor this machine has.
 */
export function findMissing(
  styles: readonly { readonly chain: FamilyChain; readonly text: string }[],
  absent: readonly string[],
): Missing {
  const families = styles.flatMap(({ chain }) => {
    const instead = chain.bundled[0] as BundledFamily
    const lacking = chain.foreign.filter((family) => absent.includes(family))
    const substituted = chain.substituted === undefined ? [] : [chain.substituted]
    return [
      ...lacking.map((name) => ({ name, instead, isSubstituted: false })),
      ...substituted.map((name) => ({ name, instead, isSubstituted: true })),
    ]
  })
  const characters = new Set<string>()
  for (const { chain, text } of styles) {
    // The characters of this machine's own fonts are unknown.
    if (chain.foreign.some((family) => !absent.includes(family))) continue
    for (const character of missingCharacters(text, chain.bundled)) characters.add(character)
  }
  return { families: unique(families), characters: [...characters] }
}

function unique(families: readonly MissingFamily[]): MissingFamily[] {
  return [...new Map(families.map((family) => [family.name, family])).values()]
}

export function missingWarnings({ families, characters }: Missing): BakeWarning[] {
  const names = families
    .slice(0, familiesMax)
    .map(({ name, instead, isSubstituted }): BakeWarning => {
      const used = isSubstituted ? `its metric twin ${instead}` : instead
      const message = `The font family ${name.slice(0, 100)} is not available; ${used} is used`
      return { code: 'unknown_font', message }
    })
  if (characters.length === 0) return names
  return [...names, { code: 'missing_glyph', message: missingGlyphMessage(characters) }]
}

/** Throws for FARM_FONTS=strict. @throws FarmError `element_invalid` */
export function assertNothingMissing({ families, characters }: Missing, field: string): void {
  const names = families.map(({ name }) => name).join(', ')
  const lacks = [
    ...(names === '' ? [] : [`no family ${names}`]),
    ...(characters.length === 0 ? [] : [`no glyph for ${listedCharacters(characters)}`]),
  ]
  if (lacks.length === 0) return
  throw new FarmError(
    'element_invalid',
    `Every font family and character must come with this farm. It has ${lacks.join(', and ')}`,
    { field },
  )
}
