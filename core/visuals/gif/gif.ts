import type { ClipFacts } from '../../timeline/facts.ts'
import { clipFactsOf } from '../../timeline/facts.ts'
import type { Play } from '../../timeline/types.ts'
import { clipFit, clipLook } from '../picture/clip.ts'
import { clipOf, layoutPicture } from '../picture/layout.ts'
import { normalizePicture, pictureDefaults } from '../picture/normalize.ts'
import type { VisualType } from '../visual-type.ts'
import { GifVisual } from './schema.ts'

export const gif: VisualType<'GIF'> = {
  schema: GifVisual,
  summary: 'An animated picture, repeated while it is visible; films only',
  example: { type: 'GIF', src: 'https://example.com/wave.gif', position: 'bottom-right' },
  checkRules: null,
  normalize: (visual, base) => ({ ...base, ...normalizePicture(visual), type: 'GIF' }),
  withDefaults: pictureDefaults,
  media: ({ src, field }) => [{ url: src, field: `${field}.src`, expect: 'gif' }],
  layout(visual, { canvas, facts }) {
    const shown = clipOf(visual, facts, { expect: 'gif', play: wholeClip })
    return layoutPicture(visual, shown, { canvas, fit: clipFit })
  },
  opaqueFormat: () => null,
  painted: null,
  clip: {
    fit: clipFit,
    facts: ({ src }, facts) => clipFactsOf({ expect: 'gif', url: src }, facts),
    look: (visual) => JSON.stringify(clipLook(visual)),
  },
  recording: null,
}

const wholeClip = ({ frameRate, frames }: ClipFacts): Play => ({
  ...{ frameRate, from: 0, speed: 1, first: 0, last: frames - 1, loops: true },
})
