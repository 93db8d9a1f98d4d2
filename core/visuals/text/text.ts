import type { FilledOf } from '../../project/schema/visuals.ts'
import { type Layout, type LayoutContext, manner } from '../layout.ts'
import { normalizeCode } from '../painted/code.ts'
import { bakedBox, bakedShown, sliceOf } from '../painted/layout.ts'
import type { KnownPictures, VisualType } from '../visual-type.ts'
import { textDocument } from './document.ts'
import type { ResolvedText } from './resolved.ts'
import { checkText } from './rules.ts'
import { TextVisual } from './schema.ts'

export const text: VisualType<'TEXT'> = {
  schema: TextVisual,
  summary: 'A text, plain or as HTML with inline CSS and pictures by URL',
  example: {
    type: 'TEXT',
    ...{ html: '<b>Hello</b>', style: { fontSize: '72px' }, position: 'center-center' },
  },
  checkRules: checkText,
  normalize: (visual, base, known) => ({
    ...base,
    type: 'TEXT',
    ...normalizeText(visual, known),
    ...normalizeCode(visual),
  }),
  withDefaults: (shared) => ({ style: {}, ...shared }),
  media: ({ pictures = [], field }) =>
    pictures.map((url) => ({ url, field: `${field}.html`, expect: 'image', isInHtml: true })),
  layout: layoutText,
  opaqueFormat: () => null,
  painted: {
    markup: ({ html, style }) => ({ kind: 'html', markup: html, style }),
    document: textDocument,
  },
  clip: null,
  recording: null,
}

function normalizeText(
  { html = '', text = '', style = {} }: FilledOf<'TEXT'>,
  { picturesOf }: KnownPictures,
): Pick<ResolvedText, 'html' | 'style' | 'pictures'> {
  if (html.trim() === '') return { html: escapeText(text), style }
  const pictures = picturesOf(html)
  return { html, style, ...(pictures.length > 0 && { pictures }) }
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;')
}

/** Lays out a baked picture, pixel for pixel; with `cover` it is clipped to its box. */
function layoutText(text: ResolvedText, context: LayoutContext): Layout {
  const { canvas, facts } = context
  const { bake, box } = bakedBox(text, textDocument(text, canvas, facts.media), context)
  return {
    ...bakedShown(bake, (ink) => ({
      pixels: { kind: 'bake', digest: bake.digest, ...sliceOf(ink) },
      source: [0, 0, ink.inkWidth, ink.inkHeight],
      dest: [box[0] + ink.inkX, box[1] + ink.inkY, ink.inkWidth, ink.inkHeight],
    })),
    box,
    ...(text.resize === 'cover' && { clip: { rect: box, radii: [0, 0, 0, 0] } }),
    ...manner(text),
    zoomDepth: 1,
  }
}
