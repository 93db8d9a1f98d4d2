export type Holder = Record<string, unknown>

export type AnyFunction = (...given: unknown[]) => unknown

/** Members of a window that the frozen clock touches by name. */
export type CodeGlobals = {
  readonly top: unknown
  readonly document: object
  readonly requestAnimationFrame: AnyFunction
  readonly reportError: (error: unknown) => void
  readonly URL: Holder
  readonly Element: { readonly prototype: Holder }
  readonly HTMLCanvasElement: { readonly prototype: Holder }
  readonly EventTarget: { readonly prototype: { readonly dispatchEvent: AnyFunction } }
  readonly Event: new (name: string, options?: { bubbles: boolean }) => object
}
