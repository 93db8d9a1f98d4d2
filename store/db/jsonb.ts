import type { ColumnType } from 'kysely'
import { FarmError } from '../../core/errors.ts'

/** A jsonb column: read as `T`, written as the text that `jsonb` makes. */
export type Jsonb<T> = ColumnType<T, string, string>

/**
 * JSON text that Postgres takes as jsonb. Postgres knows neither NUL nor lone surrogates in text.
 * @throws FarmError invalid_request when the value holds one.
 */
export function jsonb(value: unknown): string {
  const text = JSON.stringify(value)
  // JSON.stringify escapes both; after an even run of backslashes it is an escape, not text.
  if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(text)) {
    throw new FarmError(
      'invalid_request',
      'Text must be well-formed Unicode without NUL. Got a NUL character or a lone surrogate.',
    )
  }
  return text
}
