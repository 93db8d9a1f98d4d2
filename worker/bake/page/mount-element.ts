import type { BakeDocument } from '../../../core/queue/tasks.ts'

/** CSS property. `property`: its name as the request writes it. */
export type Styled = {
  readonly property: string
  readonly name: string
  readonly value: string | number
}

export type MountElement = {
  readonly kind: 'html' | 'svg'
  readonly markup: string
  readonly style: readonly Styled[]
  readonly width: number | undefined
  readonly height: number | undefined
  /** Keeps the proportions inside the box (`contain`), or fills it (`cover`). */
  readonly resize: 'contain' | 'cover' | undefined
  /** True when its parts are to be measured. */
  readonly parts: boolean
  /** Division of its words into rows, and their strokes. */
  readonly rows?: BakeDocument['rows'] | undefined
  /** Reference size of percentages and of vw and vh, px; text wraps at its width. */
  readonly canvas: { readonly width: number; readonly height: number }
  /**
   * Style sheet of custom code, which finds the element in the document itself; absent = a still.
   */
  readonly css?: string
}
