/** What one kind of markup may hold; the tags are in lower case, as a browser reads them. */
export type Rules = {
  readonly language: 'HTML' | 'SVG'
  readonly htmlTags: ReadonlySet<string>
  readonly svgTags: ReadonlySet<string>
  /** Whether a `<style>` element may stand in an SVG. */
  readonly sheets: boolean
}

export const maxMarkupLength = 200_000
export const maxElements = 10_000
export const maxDepth = 128
/** Widest and highest an SVG, a viewBox or an inlined picture may be, px. */
export const maxPictureEdge = 4_096

const geometry =
  'svg g defs linearGradient radialGradient stop path circle ellipse rect polygon polyline line text tspan'
const staticSvg =
  'symbol use clipPath mask pattern marker filter textPath switch a ' +
  'feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting ' +
  'feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR ' +
  'feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting ' +
  'feSpotLight feTile feTurbulence'

export const htmlRules: Rules = {
  language: 'HTML',
  htmlTags: tags('b strong i em u s br span div p ul ol li img canvas'),
  svgTags: tags(geometry),
  sheets: false,
}

export const svgRules: Rules = {
  language: 'SVG',
  htmlTags: new Set(),
  svgTags: tags(`${geometry} ${staticSvg}`),
  sheets: true,
}

function tags(list: string): ReadonlySet<string> {
  return new Set(list.toLowerCase().split(' '))
}

export const voidTags: ReadonlySet<string> = tags('br img')

/** Their content is not markup: it goes with the tag. */
export const rawTags: ReadonlySet<string> = tags(
  'script style textarea title xmp iframe noembed noframes noscript plaintext',
)

/** Paint nothing and are written by every drawing program: left out without a word. */
export const silentTags: ReadonlySet<string> = tags('title desc metadata')

export const htmlAttributes: ReadonlySet<string> = tags(
  'style class src alt width height id dir lang title role',
)
