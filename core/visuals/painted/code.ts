import type { Static } from 'typebox'
import type { Filled } from '../../project/schema/fields.ts'
import type { CustomCode } from '../../project/schema/parts.ts'

/** Code that moves an element for `duration` seconds; then the element is still. */
export type ResolvedCode = {
  readonly css: string
  readonly js: string
  readonly duration: number
}

export const defaultCodeSeconds = 5

/** Writes out the defaults of custom code; returns nothing for empty code. */
export function normalizeCode({
  customCode,
}: {
  readonly customCode?: Filled<Static<typeof CustomCode>>
}): { code?: ResolvedCode } {
  const { css = '', js = '', animationDuration = defaultCodeSeconds } = customCode ?? {}
  if (css.trim() === '' && js.trim() === '') return {}
  return { code: { css, js, duration: animationDuration } }
}
