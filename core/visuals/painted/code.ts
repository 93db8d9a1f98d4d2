/** Code that moves an element for `duration` seconds; then the element is still. */
export type ResolvedCode = {
  readonly css: string
  readonly js: string
  readonly duration: number
}

export const defaultCodeSeconds = 5
