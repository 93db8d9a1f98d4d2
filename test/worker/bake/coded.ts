import type { BakeDocument } from '../../../core/tasks.ts'
import { html } from './baking.ts'

type Code = NonNullable<BakeDocument['code']>

/** On the canvas, where nothing of it is cut off soon. */
const turn = { angle: 0, flipH: false, flipV: false }
export const place: Code['place'] = {
  ...turn,
  x: 200,
  y: 200,
  position: 'custom',
  anchor: 'top-left',
}

/** One red word, and what moves it: ten moments a second, for a fifth of one. */
export function coded(code: Partial<Code>, more: Partial<BakeDocument> = {}): BakeDocument {
  const { duration = 0.2 } = code
  return html('<b class="word">word</b>', {
    style: { fontSize: '30px', color: '#d02020' },
    field: 'scenes[1].visuals[2]',
    canvas: { width: 640, height: 480 },
    code: { css: '', js: '', duration, until: duration, frameRate: 10, place, ...code },
    ...more,
  })
}
