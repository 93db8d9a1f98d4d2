/** Rules of one kind of markup; tags are in lower case, as a browser reads them. */
export type Rules = {
  readonly language: 'HTML' | 'SVG'
  readonly htmlTags: ReadonlySet<string>
  readonly svgTags: ReadonlySet<string>
  /** `<style>` elements are allowed in an SVG. */
  readonly sheets: boolean
}

export const maxMarkupLength = 200_000
export const maxElements = 10_000
export const maxDepth = 128
/** Longest edge of an SVG, a viewBox or an inlined picture, px. */
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

/** Elements whose content is not markup: it is dropped with the tag. */
export const rawTags: ReadonlySet<string> = tags(
  'script style textarea title xmp iframe noembed noframes noscript plaintext',
)

/** Elements that paint nothing and that every drawing program writes; dropped silently. */
export const silentTags: ReadonlySet<string> = tags('title desc metadata')

export const htmlAttributes: ReadonlySet<string> = tags(
  'style class src alt width height id dir lang title role',
)
