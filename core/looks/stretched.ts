import type { Warning } from '../project/lint/warning.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { Facts } from '../timeline/facts.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { fitOf } from './picture.ts'

/** Smallest visible distortion: edges are whole px, and sizes are often rounded. */
const tolerance = 0.02

/** Warns of clips whose box has another shape than they have. Known once the media have been read. */
export function stretchWarnings(
  { visuals, scenes }: ResolvedProject,
  facts: Pick<Facts, 'media'>,
): Warning[] {
  const all = [...visuals, ...scenes.flatMap((scene) => scene.visuals)]
  return all.flatMap((visual) => stretchOf(visual, facts))
}

function stretchOf(visual: ResolvedVisual, known: Pick<Facts, 'media'>): Warning[] {
  const { clip } = visualTypeOf(visual)
  if (!clip) return []
  const { field, type, width, height } = visual
  if (width === undefined || height === undefined || fitOf(visual, clip.fit) !== 'stretch')
    return []
  const crop = 'crop' in visual ? visual.crop : undefined
  const facts = clip.facts(visual, known)
  if (!facts) return []
  const across = width / (crop ? Math.min(crop.width, facts.width - crop.x) : facts.width)
  const down = height / (crop ? Math.min(crop.height, facts.height - crop.y) : facts.height)
  const more = Math.max(across / down, down / across) - 1
  if (!(more > tolerance)) return []
  const way = across > down ? 'wider' : 'taller'
  const shown = `${Math.round(width)}x${Math.round(height)}`
  const own = `${facts.width}x${facts.height}`
  const message = `The ${type} of ${own} px is stretched to ${shown} px, ${Math.round(more * 100)} % ${way} than the original. Set resize to cover or contain to keep its shape.`
  return [{ field, code: 'stretched', message }]
}
