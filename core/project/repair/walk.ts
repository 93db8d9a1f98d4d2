import { isRecord } from '../check.ts'
import { nearest } from '../nearest.ts'
import { hasPlaceholder } from '../placeholder.ts'
import { childOf } from '../report.ts'
import { accepts, type Schema, variantsOf } from './schema.ts'
import { nearestValue } from './values.ts'

/** One change. `path` is that of the old value. */
export type Change = {
  readonly action: 'set' | 'rename' | 'remove'
  readonly path: string
  readonly from: unknown
  /** New value or name; null for a removal. */
  readonly to: unknown
  readonly why: string
}

type Note = (change: Change) => void
type Fields = Record<string, unknown>

/** Returns a value as near to the sent one as its schema allows; unchanged where nothing is near. */
export function mend(schema: Schema, value: unknown, path: string, note: Note): unknown {
  if (typeof value === 'string' && hasPlaceholder(value)) return value
  if (schema.discriminator) return mendTagged(schema, value, path, note)
  const variants = variantsOf(schema)
  const inner = variants.find(({ discriminator }) => discriminator)
  if (inner) return mendTagged(inner, value, path, note)
  const object = variants.find(({ type }) => type === 'object')
  if (object && isRecord(value)) return mendObject(object, value, { path, note, siblings: [] })
  const list = variants.find(({ type }) => type === 'array')
  if (list?.items) return mendArray(list.items, value, path, note)
  // A schema of any value, like that of a condition.
  if (variants.some((each) => Object.keys(each).length === 0) || accepts(schema, value))
    return value
  const found = nearestValue(schema, value)
  if (!found) return value
  note({ action: 'set', path, from: value, to: found.value, why: `${found.why}.` })
  return found.value
}

function mendArray(item: Schema, value: unknown, path: string, note: Note): unknown {
  if (isRecord(value)) {
    const why = 'A single item must stand in an array.'
    note({ action: 'set', path, from: value, to: [value], why })
    return mendArray(item, [value], path, note)
  }
  if (!Array.isArray(value)) return value
  const kept = value.map((entry, i) => {
    if (entry === null) {
      const why = 'An item must not be null.'
      note({ action: 'remove', path: `${path}[${i}]`, from: null, to: null, why })
      return null
    }
    return mend(item, entry, `${path}[${i}]`, note)
  })
  return kept.filter((entry) => entry !== null)
}

/** Repairs a tagged union: first the property that chooses the variant. */
function mendTagged(schema: Schema, value: unknown, path: string, note: Note): unknown {
  const { discriminator, anyOf = [] } = schema
  if (!isRecord(value) || !discriminator) return value
  const tag = discriminator.propertyName
  const given = Object.hasOwn(value, tag) ? value[tag] : undefined
  const tagOf = (variant: Schema) => variant.properties?.[tag] ?? {}
  const chosen =
    given === undefined
      ? anyOf.find(({ required }) => !required?.includes(tag))
      : anyOf.find((variant) => accepts(tagOf(variant), given))
  if (chosen) return mendObject(chosen, value, { path, note, siblings: anyOf })
  const meant = typeof given === 'string' && meantTag(given, anyOf.map(tagOf))
  if (!meant) return value
  const why = `${tag} must be one of ${anyOf.map((variant) => nameOf(tagOf(variant))).join(', ')}.`
  note({ action: 'set', path: childOf(path, tag), from: given, to: meant, why })
  return mendTagged(schema, { ...value, [tag]: meant }, path, note)
}

function meantTag(given: string, tags: readonly Schema[]): string | undefined {
  const names = tags.map(nameOf)
  const same = names.find((name) => name.toLowerCase() === given.trim().toLowerCase())
  return same ?? nearest(given.trim(), names)
}

function nameOf(tag: Schema): string {
  return String(tag.const ?? tag.title ?? '')
}

type RepairContext = {
  readonly path: string
  readonly note: Note
  readonly siblings: readonly Schema[]
}

function mendObject(
  schema: Schema,
  value: Fields,
  { path, note, siblings }: RepairContext,
): Fields {
  const known = schema.properties ?? {}
  if (schema.additionalProperties !== false && Object.keys(known).length === 0) {
    return mendOpen(schema, value, path, note)
  }
  const mended: Fields = {}
  for (const [key, inner] of Object.entries(value)) {
    const name = nameFor(key, inner, { schema, value, siblings, path, note })
    const field = name === undefined ? undefined : known[name]
    if (name === undefined) continue
    if (field === undefined) {
      mended[name] = inner
      continue
    }
    if (Object.hasOwn(mended, name)) {
      const why = `It is given twice, also as ${name}.`
      note({ action: 'remove', path: childOf(path, key), from: inner, to: null, why })
      continue
    }
    const isNeeded = schema.required?.includes(name) ?? false
    if (inner === null && !isNeeded && !accepts(field, null)) {
      const why = 'A property must be left out to get its default; null is not allowed.'
      note({ action: 'remove', path: childOf(path, key), from: null, to: null, why })
      continue
    }
    mended[name] = mend(field, inner, childOf(path, name), note)
  }
  return mended
}

/**
 * Repairs the values of an object with open names, like those of CSS. Variables are content, and
 * left alone.
 */
function mendOpen(schema: Schema, value: Fields, path: string, note: Note): Fields {
  const { additionalProperties } = schema
  if (!additionalProperties) return value
  const entries = Object.entries(value).map(([key, inner]) => {
    return [key, mend(additionalProperties, inner, childOf(path, key), note)] as const
  })
  return Object.fromEntries(entries)
}

const contentNames = ['text', 'html', 'src']

/** True when an unknown text may be the content that is missing: it stays, as an error. */
function lacksContent(known: Readonly<Record<string, Schema>>, value: Fields): boolean {
  const names = contentNames.filter((name) => Object.hasOwn(known, name))
  return names.length > 0 && !names.some((name) => Object.hasOwn(value, name))
}

/** Returns the intended property name; undefined: the property is unknown and removed. */
function nameFor(
  key: string,
  inner: unknown,
  { schema, value, siblings, path, note }: RepairContext & { schema: Schema; value: Fields },
): string | undefined {
  const known = schema.properties ?? {}
  if (Object.hasOwn(known, key)) return key
  const at = childOf(path, key)
  const isOthers = siblings.some((other) => Object.hasOwn(other.properties ?? {}, key))
  const free = Object.keys(known).filter((name) => !Object.hasOwn(value, name))
  const meant = isOthers ? undefined : nearest(key, free)
  const got = `"${key.slice(0, 100)}" is not a property of ${schema.title ?? 'the object'}`
  if (meant !== undefined) {
    const why = `${got}; ${meant} is the nearest.`
    note({ action: 'rename', path: at, from: key, to: meant, why })
    return meant
  }
  if (typeof inner === 'string' && lacksContent(known, value)) return key
  const why = isOthers
    ? `${got}; the nearest property has another type.`
    : `${got}, and no property has a similar name.`
  note({ action: 'remove', path: at, from: inner, to: null, why })
  return undefined
}
