import type { ResolvedCode } from '../painted/code.ts'
import type { VisualBase } from '../visual-base.ts'

export type ResolvedText = VisualBase & {
  readonly type: 'TEXT'
  /** Always markup: plain `text` arrives here escaped. */
  readonly html: string
  /** URLs of the pictures in it, each once; absent = none. */
  readonly pictures?: readonly string[]
  readonly style: Readonly<Record<string, string | number>>
  readonly code?: ResolvedCode
}
