import { type TSchema, Type } from 'typebox'
import { type Placeholder, placeholderPattern } from '../placeholder.ts'
import { textPattern } from '../text.ts'
import { animationNames, resolutions } from './names.ts'

/**
 * Vocabulary of the schema. `title` of a string with a pattern, and of an object, is its name in
 * error messages: "must be a color like #rgb or #rrggbb". A schema with an `$id` becomes an entry
 * of `$defs` when it is published. `urlOf` is a keyword of our own: the text must follow the URL
 * rule of media or webhooks. The published schema omits it; its pattern covers what it can.
 */

/** Allowed beside the typed value in every field that takes a placeholder. */
const PlaceholderText = Type.Unsafe<Placeholder>({
  $id: 'Placeholder',
  title: 'a placeholder like {{ name }}',
  type: 'string',
  pattern: `^[^\\u0000]*${placeholderPattern}[^\\u0000]*$`,
})

/** A field that takes its typed value or a placeholder. */
export function open<T extends TSchema>(typed: T) {
  return Type.Union([typed, PlaceholderText])
}

/** Like `open`, and optional. */
export function maybe<T extends TSchema>(typed: T) {
  return Type.Optional(open(typed))
}

/** Type of a value once its placeholders are filled in. */
export type Filled<T> = T extends Placeholder
  ? never
  : T extends readonly (infer Item)[]
    ? Filled<Item>[]
    : T extends object
      ? { [Key in keyof T]: Filled<T[Key]> }
      : T

export function numberFrom(minimum: number, maximum?: number) {
  return Type.Number(maximum === undefined ? { minimum } : { minimum, maximum })
}

export function integerFrom(minimum: number, maximum?: number) {
  return Type.Integer(maximum === undefined ? { minimum } : { minimum, maximum })
}

export const color = Type.String({
  pattern: '^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$',
  title: 'a color like #rgb or #rrggbb',
})

/** Any text within a length. */
export function text(maxLength: number, minLength = 0) {
  return Type.String({ pattern: textPattern, ...(minLength > 0 && { minLength }), maxLength })
}

/**
 * URL rule as far as a pattern can state it: a scheme in small letters, a host, a port; no user
 * name, no blanks, control characters and backslashes.
 */
export const urlPattern = [
  ...['^https?://', '(?:\\[[0-9A-Fa-f:.]+\\]|'],
  '[^\\s\\u0000-\\u002c\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u009f\\u200b\\ufeff]+)',
  ...['(?::[0-9]{0,8})?', '(?:[/?#][^\\s\\u0000-\\u001f\\u007f-\\u009f\\u200b\\ufeff\\\\]*)?$'],
].join('')

export const mediaUrl = Type.String({
  pattern: urlPattern,
  minLength: 1,
  maxLength: 2048,
  title: 'a public URL that starts with http:// or https://, in small letters',
  urlOf: 'media',
})

export const identifier = Type.String({
  pattern: '^[a-zA-Z0-9_-]+$',
  maxLength: 100,
  title: 'an id of letters, digits, "_" and "-"',
})

export const animation = Type.Union([Type.Enum(animationNames, { $id: 'Animation' }), Type.Null()])

export const resolution = Type.Enum(resolutions, { $id: 'Resolution' })

/** Values that fill placeholders; any keys, any JSON. Takes no placeholder itself. */
export const Variables = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** Accepts any value, as a flag or a placeholder; checked when it is evaluated. */
export const condition = Type.Optional(Type.Unknown())
