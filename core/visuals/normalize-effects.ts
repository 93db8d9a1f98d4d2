import { longColor } from '../project/normalize-subtitle.ts'
import type { FilledChromaKey, FilledFilter, ResolvedChromaKey, ResolvedFilter } from './effects.ts'

/** Percent. */
const defaultSimilarity = 50

/** Writes out the defaults of the effects that are given. */
export function normalizeEffects(visual: {
  readonly chromaKey?: FilledChromaKey
  readonly filter?: FilledFilter
}): { chromaKey?: ResolvedChromaKey; filter?: ResolvedFilter } {
  return {
    ...(visual.chromaKey && { chromaKey: normalizeChromaKey(visual.chromaKey) }),
    ...(visual.filter && { filter: normalizeFilter(visual.filter) }),
  }
}

function normalizeChromaKey(key: FilledChromaKey): ResolvedChromaKey {
  const { color, similarity = defaultSimilarity, blend = 0 } = key
  return { color: longColor(color), similarity, blend }
}

function normalizeFilter(filter: FilledFilter): ResolvedFilter {
  const { invert = 0 } = filter
  return {
    brightness: filter.brightness ?? 0,
    contrast: filter.contrast ?? 0,
    saturate: filter.saturate ?? 0,
    hue: Number.parseFloat(filter['hue-rotate'] ?? '0'),
    blur: Number(filter.blur ?? 0),
    invert: Number(invert),
    tint: longColor(filter.colorTint ?? '#ffffff'),
  }
}
