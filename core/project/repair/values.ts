import { nearest } from '../nearest.ts'
import { accepts, type Schema, variantsOf } from './schema.ts'

/** Longest text that may be a number or color. */
const maxShort = 60

/** A value that may have been intended, and why. */
export type Candidate = { readonly value: unknown; readonly why: string }

/**
 * Returns the first near value that the schema accepts; undefined when there is none. The schema
 * itself validates each, so the result needs no other repair.
 */
export function nearestValue(schema: Schema, value: unknown): Candidate | undefined {
  const variants = variantsOf(schema)
  for (const candidate of candidatesFor(value, variants)) {
    if (accepts(schema, candidate.value)) return candidate
  }
  return undefined
}

function* candidatesFor(value: unknown, variants: readonly Schema[]): Generator<Candidate> {
  if (typeof value === 'string') yield* fromText(value, variants)
  if (typeof value === 'number') {
    yield* intoRange(value, variants)
    yield { value: String(value), why: 'The value must be a string' }
  }
}

function* fromText(text: string, variants: readonly Schema[]): Generator<Candidate> {
  for (const schema of variants) {
    if (schema.type === 'number' || schema.type === 'integer') {
      const number = numberIn(text)
      if (number === undefined) continue
      const why = 'A number must not be written as a string'
      yield { value: number, why }
      for (const { value, why: range } of intoRange(number, [schema])) {
        yield { value, why: `${why}. ${range}` }
      }
    }
    if (schema.type === 'boolean' && /^(?:true|false)$/i.test(text.trim())) {
      const why = 'A flag must not be written as a string'
      yield { value: text.trim().toLowerCase() === 'true', why }
    }
    const names = schema.enum ?? (typeof schema.const === 'string' ? [schema.const] : [])
    yield* namesLike(text, names.map(String))
  }
  const color = colorIn(text)
  if (color !== undefined) yield { value: color, why: 'A color must be like #rgb or #rrggbb' }
  const trimmed = text.trim()
  if (trimmed !== text && trimmed !== '')
    yield { value: trimmed, why: 'The value must have no spaces around it' }
  const plain = text.replace(/[^A-Za-z0-9 _-]+/g, ' ').trim()
  if (plain !== '' && variants.some(({ title = '' }) => title.startsWith('a name of'))) {
    yield { value: plain, why: 'A name must be of letters, digits, spaces, "_" and "-"' }
  }
}

function* namesLike(text: string, names: readonly string[]): Generator<Candidate> {
  const bare = (name: string) => name.toLowerCase().replace(/[\s_-]+/g, '')
  const same = names.find((name) => bare(name) === bare(text))
  if (same !== undefined) yield { value: same, why: `The value must be written "${same}"` }
  const near = nearest(text.trim(), names)
  if (near !== undefined) yield { value: near, why: 'The nearest allowed value' }
}

/**
 * Puts a number to the nearest end of its range. Two have no such meaning: one that is further away
 * than the range is long, like an opacity of 50, and zero or less where it must be positive.
 */
function* intoRange(number: number, variants: readonly Schema[]): Generator<Candidate> {
  if (!Number.isFinite(number)) return
  for (const { type, minimum, maximum } of variants) {
    if (type !== 'number' && type !== 'integer') continue
    const whole = type === 'integer' ? Math.round(number) : number
    const length = (maximum ?? Infinity) - (minimum ?? -Infinity)
    if (minimum !== undefined && whole < minimum) {
      if ((minimum > 0 && whole <= 0) || minimum - whole > length) continue
      yield { value: minimum, why: `The value must be >= ${minimum}` }
    } else if (maximum !== undefined && whole > maximum) {
      if (whole - maximum > length) continue
      yield { value: maximum, why: `The value must be <= ${maximum}` }
    } else if (whole !== number) yield { value: whole, why: 'The value must be a whole number' }
  }
}

/** Reads `12`, ` 1.5 ` and, as in CSS lengths and times, `12px` and `3s`. */
function numberIn(text: string): number | undefined {
  if (text.length > maxShort) return undefined
  const found = /^([+-]?(?:\d{1,15}(?:\.\d{1,15})?|\.\d{1,15}))(?:px|s)?$/.exec(text.trim())
  return found ? Number(found[1]) : undefined
}

const namedColors: Readonly<Record<string, string>> = {
  ...{ black: '#000000', white: '#ffffff', gray: '#808080', grey: '#808080', silver: '#c0c0c0' },
  ...{ red: '#ff0000', maroon: '#800000', yellow: '#ffff00', olive: '#808000', lime: '#00ff00' },
  ...{ green: '#008000', aqua: '#00ffff', cyan: '#00ffff', teal: '#008080', blue: '#0000ff' },
  ...{ navy: '#000080', fuchsia: '#ff00ff', magenta: '#ff00ff', purple: '#800080' },
  ...{ orange: '#ffa500', pink: '#ffc0cb' },
}

/** Reads an opaque color in any notation of CSS. */
function colorIn(text: string): string | undefined {
  if (text.length > maxShort) return undefined
  const plain = text.trim().toLowerCase()
  if (Object.hasOwn(namedColors, plain)) return namedColors[plain]
  const hex = /^#?([0-9a-f]{3}|[0-9a-f]{6})(?:ff)?$/.exec(plain)
  if (hex) return `#${hex[1]}`
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(plain)
  const bytes = parts?.slice(1).map(Number) ?? []
  if (bytes.length !== 3 || bytes.some((byte) => byte > 255)) return undefined
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
