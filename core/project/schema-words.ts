import { bundledFamilies } from '../looks/families.ts'
import { type Fields, nameOf, nestedIn, ruleOf, takesPlaceholder } from './element-fields.ts'
import { partsOf } from './elements.ts'
import { meanings } from './field-meanings.ts'

/** Words and values for editors that read the published schema. */
export type FieldWords = {
  readonly description: string
  /** Values to offer where the schema itself lists none. */
  readonly examples?: readonly string[]
}

/**
 * Describes a field of an object of the language: its meaning, its rule as errors state it, and the
 * notes of its part that name it.
 */
export function wordsOf(owner: object, key: string, field: object): FieldWords {
  const { own, values } = partsOf(owner, key, field)
  const notes = [...own, ...values].flatMap((part) => part.notes.filter(naming(key)))
  const examples = offered(key, field)
  const meaning = examples && key === 'type' ? own[0]?.summary : meaningOf(owner, key, values)
  const stated = [meaning, ruleIn(field), itemsOf(field)].flatMap((each) => each ?? [])
  const sentences = [...stated.map(capitalized), ...notes].map(asSentence)
  const description = [...new Set(sentences)].join(' ')
  return { description, ...(examples && { examples }) }
}

function meaningOf(owner: object, key: string, values: readonly { summary: string }[]) {
  const [value, ...others] = values
  const summary = value && others.length === 0 ? value.summary : undefined
  return meanings[`${nameOf(owner)}.${key}`] ?? meanings[key] ?? summary
}

/** States the rule; values of a list are offered by the schema itself. */
function ruleIn(field: object): string | undefined {
  const rule = ruleOf(field)
  if (/\bone of /.test(rule) || rule === 'any value') return undefined
  return `${rule}${takesPlaceholder(field) ? ' or {{ name }}' : ''}`
}

/** Properties of a CSS style that editors should offer; any other is accepted, too. */
export const offeredStyles: Readonly<Record<string, FieldWords>> = {
  fontFamily: {
    description: `${meanings.fontFamily}.`,
    examples: bundledFamilies,
  },
}

function offered(key: string, field: object): readonly string[] | undefined {
  if (key === 'family' || key === 'fontFamily') return bundledFamilies
  const isName = key === 'type' && 'pattern' in field && 'title' in field
  return isName ? [String(field.title)] : undefined
}

function naming(key: string): (note: string) => boolean {
  const word = new RegExp(`(?<![\\w.-])${key}(?![\\w-])`)
  return (note) => word.test(note)
}

function itemsOf(field: object): string | undefined {
  if (ruleOf(field) !== 'an array') return undefined
  const titles = nestedIn(field).flatMap((item: Fields & { title?: string }) => item.title ?? [])
  return titles.length > 0 ? `Each item is ${titles.join(' or ')}` : undefined
}

function capitalized(text: string): string {
  const isName = /^[a-z]+[A-Z]/.test(text)
  return isName ? text : text.charAt(0).toUpperCase() + text.slice(1)
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
