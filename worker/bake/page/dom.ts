/**
 * Parts of a browser's page that `page.ts` touches. TypeScript's own DOM library would become
 * visible in every other file too, where there is no page.
 */
export type PageStyle = {
  cssText: string
  readonly [property: string]: unknown
  setProperty: (name: string, value: string, priority?: string) => void
  getPropertyValue: (name: string) => string
}

export type PageRect = { left: number; top: number; right: number; bottom: number }

export type PageElement = {
  className: string
  innerHTML: string
  textContent: string | null
  localName: string
  style: PageStyle | undefined
  parentNode: PageElement | null
  parentElement: PageElement | null
  shadowRoot: PageElement | null
  childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>
  append: (child: PageElement) => void
  before: (sibling: PageElement) => void
  remove: () => void
  closest: (selector: string) => PageElement | null
  getRootNode: () => { readonly host?: PageElement }
  attachShadow: (options: { mode: 'open' }) => PageElement
  adoptedStyleSheets: unknown[]
  querySelector: (selector: string) => PageElement | null
  querySelectorAll: (selector: string) => Iterable<PageElement>
  getAttribute: (name: string) => string | null
  setAttribute: (name: string, value: string) => void
  getBoundingClientRect: () => PageRect
  getScreenCTM?: () => { a: number; b: number; c: number; d: number } | null
  getClientRects: () => Iterable<PageRect>
  decode: () => Promise<void>
}

/** SVG element with its lengths; `unitType` 2 is a percentage. */
export type PageSvg = PageElement & {
  readonly width: { readonly baseVal: PageLength }
  readonly height: { readonly baseVal: PageLength }
  readonly viewBox: { readonly baseVal: { width: number; height: number } | null }
}
type PageLength = { readonly value: number; readonly unitType: number }

type PageFace = {
  readonly family: string
  readonly status: string
  readonly unicodeRange: string
  load: () => Promise<unknown>
}

export type PageDocument = {
  readonly body: PageElement
  readonly head: PageElement
  readonly fonts: Iterable<PageFace> & {
    readonly status: string
    readonly ready: Promise<unknown>
    readonly load: (font: string) => Promise<unknown>
  }
  createElement: (name: string) => PageElement
  createRange: () => {
    selectNodeContents: (node: unknown) => void
    getBoundingClientRect: () => PageRect
  }
  querySelectorAll: (selector: string) => Iterable<PageElement>
}

export type PageGlobals = {
  readonly document: PageDocument
  readonly getComputedStyle: (element: PageElement) => PageStyle
  readonly CSSStyleSheet: new () => { replaceSync: (css: string) => void }
  readonly CSS: { readonly supports: (name: string, value: string) => boolean }
  readonly FontFace: new (family: string, source: string) => { load: () => Promise<unknown> }
}
