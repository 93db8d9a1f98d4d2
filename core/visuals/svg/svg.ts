import { normalizeEffects } from '../normalize-effects.ts'
import { normalizeCode } from '../painted/code.ts'
import { checkMarkup } from '../painted/rules.ts'
import type { VisualType } from '../visual-type.ts'
import { layoutSvg, svgDocument } from './layout.ts'
import { SvgVisual } from './schema.ts'

export const svg: VisualType<'SVG'> = {
  schema: SvgVisual,
  summary: 'A drawing as SVG markup',
  example: {
    type: 'SVG',
    svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="#ff7a59"/></svg>',
    ...{ width: 200, height: 200 },
  },
  checkRules: (visual, path, context) => checkMarkup(visual, 'svg', path, context),
  normalize: (visual, base) => ({
    ...base,
    type: 'SVG',
    svg: visual.svg,
    ...normalizeCode(visual),
    ...normalizeEffects(visual),
  }),
  withDefaults: (shared) => shared,
  media: () => [],
  layout: layoutSvg,
  opaqueFormat: () => null,
  painted: {
    markup: (visual) => ({ kind: 'svg', markup: visual.svg, style: {} }),
    document: svgDocument,
  },
  clip: null,
  recording: null,
}
