/**
 * Attributes of SVG 1.1, SVG 2 and Filter Effects, in lower case as a browser reads them:
 * https://www.w3.org/TR/SVG2/attindex.html, https://www.w3.org/TR/SVG11/attindex.html and
 * https://www.w3.org/TR/filter-effects-1/. Attributes of animation and links are missing, as their
 * tags are: a still has no use for them.
 */
const structure =
  'id class lang style tabindex focusable role title version baseProfile contentScriptType ' +
  'contentStyleType zoomAndPan preserveAspectRatio viewBox xmlns requiredExtensions ' +
  'requiredFeatures systemLanguage externalResourcesRequired target rel type media name'

const geometry =
  'x y width height x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy d points pathLength rotate ' +
  'textLength lengthAdjust startOffset method spacing side path offset transform ' +
  'transform-origin transform-box gradientUnits gradientTransform spreadMethod patternUnits ' +
  'patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits markerUnits ' +
  'markerWidth markerHeight orient refX refY z'

const filters =
  'filterUnits primitiveUnits filterRes in in2 result mode values amplitude exponent intercept ' +
  'slope tableValues operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY ' +
  'edgeMode kernelUnitLength preserveAlpha surfaceScale diffuseConstant specularConstant ' +
  'specularExponent limitingConeAngle pointsAtX pointsAtY pointsAtZ azimuth elevation scale ' +
  'xChannelSelector yChannelSelector stdDeviation radius baseFrequency numOctaves seed ' +
  'stitchTiles no-composite crossorigin'

/**
 * Presentation attributes, with obsolete ones that browsers ignore and drawing programs still write.
 */
const presentation =
  'alignment-baseline backdrop-filter background baseline-shift clip clip-path clip-rule color ' +
  'color-interpolation color-interpolation-filters color-profile color-rendering cursor ' +
  'direction display dominant-baseline enable-background fill fill-opacity fill-rule filter ' +
  'flood-color flood-opacity font font-family font-feature-settings font-kerning font-size ' +
  'font-size-adjust font-stretch font-style font-variant font-variant-caps ' +
  'font-variant-ligatures font-variant-numeric font-variation-settings font-weight ' +
  'glyph-orientation-horizontal glyph-orientation-vertical image-rendering inline-size isolation ' +
  'kerning letter-spacing lighting-color line-height line-spacing marker marker-end marker-mid ' +
  'marker-start mask mask-type mix-blend-mode opacity overflow paint-order pointer-events ' +
  'shape-inside shape-margin shape-padding shape-rendering shape-subtract solid-color ' +
  'solid-opacity stop-color stop-opacity stroke stroke-alignment stroke-dasharray ' +
  'stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity ' +
  'stroke-width text-align text-align-last text-anchor text-decoration text-decoration-color ' +
  'text-decoration-line text-decoration-style text-indent text-orientation text-overflow ' +
  'text-rendering text-shadow text-transform unicode-bidi vector-effect visibility white-space ' +
  'will-change word-spacing writing-mode'

export const svgAttributes: ReadonlySet<string> = new Set(
  [structure, geometry, filters, presentation].join(' ').toLowerCase().split(' '),
)

/** Marks that drawing programs and icon collections leave in their files; dropped silently. */
export const svgMarks: ReadonlySet<string> = new Set(['t', 'p-id', 'content', 'd2version'])
