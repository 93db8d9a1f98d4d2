import type { Facts } from '../timeline/facts.ts'
import { filmSeconds, overlapSeconds, sceneSeconds } from '../timeline/length.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import type { ResolvedProject, ResolvedScene } from './resolved.ts'

/**
 * Lengths of a project and its scenes in seconds, as the timeline has them; undefined = may depend
 * on an unprobed source.
 */
export type KnownLengths = {
  readonly film: number | undefined
  readonly scenes: readonly (number | undefined)[]
}

const unprobed: Facts = { media: new Map(), bakes: new Map() }

export function knownLengths(project: ResolvedProject): KnownLengths {
  const guesses = project.scenes.map((scene) => sceneSeconds(scene, unprobed))
  const scenes = project.scenes.map((scene, i) =>
    scene.duration === undefined && hangsOnMedia(scene) ? undefined : guesses[i],
  )
  const hasFile = project.subtitle?.src !== undefined
  const isGuess = project.durationMode === 'auto' && (hasFile || hangsOnMedia(project))
  if (isGuess || scenes.includes(undefined)) return { film: undefined, scenes }
  const overlaps = overlapSeconds(project.scenes, guesses)
  let begin = 0
  for (const [i, length] of guesses.entries()) begin += length - (overlaps[i] ?? 0)
  return { film: filmSeconds(project, begin + (overlaps.at(-1) ?? 0), unprobed), scenes }
}

/** A given end of a trim does not count: the source may end before it. */
function hangsOnMedia({ visuals, audios }: Pick<ResolvedScene, 'visuals' | 'audios'>): boolean {
  return (
    visuals.some((visual) => visualTypeOf(visual).recording && visual.exitEnd === undefined) ||
    audios.some(({ matchDuration, exit }) => !matchDuration && exit === undefined)
  )
}
