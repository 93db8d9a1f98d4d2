import { FarmError } from '../../core/errors.ts'
import type { BundledFamily } from '../../core/looks/families.ts'
import type { FamilyChain } from '../../core/looks/family-chain.ts'
import type { BakeWarning } from '../../core/tasks.ts'
import type { Fonts } from './fonts.ts'

/** What an element asks for that no font has. */
type Missing = { readonly families: readonly MissingFamily[]; readonly characters: string }
type MissingFamily = {
  readonly name: string
  readonly instead: BundledFamily
  readonly isTwin: boolean
}

/** So many of them are named. */
const charactersMax = 20
const familiesMax = 20

/** Characters that are there to change others, or to keep them apart: nothing is to be seen. */
const invisible = /\p{White_Space}|\p{Cc}|\p{Default_Ignorable_Code_Point}/u

/**
 * `styles`: the chain of each computed family with the text that stands in it. `absent`: families
 * that neither the farm nor this machine has.
 */
export async function findMissing(
  styles: readonly { readonly chain: FamilyChain; readonly text: string }[],
  { fonts, absent }: { fonts: Fonts; absent: readonly string[] },
): Promise<Missing> {
  const families = styles.flatMap(({ chain }) => {
    const instead = chain.bundled[0] as BundledFamily
    const lacking = chain.foreign.filter((family) => absent.includes(family))
    const twinned = chain.twinned === undefined ? [] : [chain.twinned]
    return [
      ...lacking.map((name) => ({ name, instead, isTwin: false })),
      ...twinned.map((name) => ({ name, instead, isTwin: true })),
    ]
  })
  const characters = new Set<string>()
  for (const { chain, text } of styles) {
    // What a font of this machine has is not known.
    if (chain.foreign.some((family) => !absent.includes(family))) continue
    for (const character of new Set(text)) {
      if (!invisible.test(character) && !(await isCovered(character, chain, fonts))) {
        characters.add(character)
      }
    }
  }
  return { families: unique(families), characters: [...characters].join('') }
}

async function isCovered(character: string, { bundled }: FamilyChain, fonts: Fonts) {
  const codePoint = character.codePointAt(0) ?? 0
  for (const family of bundled) if (await fonts.has(family, codePoint)) return true
  return false
}

function unique(families: readonly MissingFamily[]): MissingFamily[] {
  return [...new Map(families.map((family) => [family.name, family])).values()]
}

export function missingWarnings({ families, characters }: Missing): BakeWarning[] {
  const names = families.slice(0, familiesMax).map(({ name, instead, isTwin }): BakeWarning => {
    const used = isTwin ? `its metric twin ${instead}` : instead
    const message = `The font family ${name.slice(0, 100)} is not available; ${used} is used`
    return { code: 'unknown_font', message }
  })
  if (characters === '') return names
  const message = `No bundled font has a glyph for ${listed(characters)}`
  return [...names, { code: 'missing_glyph', message }]
}

/** For FARM_FONTS=strict. @throws FarmError `element_invalid` */
export function assertNothingMissing({ families, characters }: Missing, field: string): void {
  const names = families.map(({ name }) => name).join(', ')
  const lacks = [
    ...(names === '' ? [] : [`no family ${names}`]),
    ...(characters === '' ? [] : [`no glyph for ${listed(characters)}`]),
  ]
  if (lacks.length === 0) return
  throw new FarmError(
    'element_invalid',
    `Every font family and character must come with this farm. It has ${lacks.join(', and ')}`,
    { field },
  )
}

function listed(characters: string): string {
  const all = [...characters]
  const named = all.slice(0, charactersMax).map((character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `${character} (U+${code})`
  })
  const more = all.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}
