import type { Fault } from '../errors.ts'
import { crowdFault, type ShownClip } from '../timeline/clips-at-once.ts'
import { overlapSeconds } from '../timeline/length.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { knownLengths } from './lengths.ts'
import type { ResolvedProject, ResolvedScene } from './resolved.ts'

/**
 * Reports too many simultaneous clips, as far as known before probing: over the whole film if its
 * length is known, else within each scene. The plan checks again.
 */
export function clipCrowdFault(project: ResolvedProject): Fault | undefined {
  const { film, scenes } = knownLengths(project)
  const spans = project.scenes.map((scene, i) => scenes[i] ?? surelySeen(scene, project))
  const own = clipsIn(project, film ?? surelySeen(project, project))
  const inScenes = project.scenes.map((scene, i) => clipsIn(scene, spans[i] ?? 0))
  const clocks =
    film === undefined ? [own, ...inScenes] : [onFilmClock(project, { own, inScenes, spans })]
  for (const clips of clocks) {
    const fault = crowdFault(clips, project.frameRate)
    if (fault) return fault
  }
  return undefined
}

function onFilmClock(
  { scenes }: ResolvedProject,
  { own, inScenes, spans }: { own: ShownClip[]; inScenes: ShownClip[][]; spans: number[] },
): ShownClip[] {
  const overlaps = overlapSeconds(scenes, spans)
  let from = 0
  const moved = inScenes.flatMap((clips, i) => {
    const at = from
    from += (spans[i] ?? 0) - (overlaps[i] ?? 0)
    return clips.map((clip) => ({ ...clip, begin: at + clip.begin, end: at + clip.end }))
  })
  return [...moved, ...own]
}

type Container = Pick<ResolvedScene, 'visuals'>

/** Least length of a scene: it lasts until the last given end, and until each recording has begun. */
function surelySeen({ visuals }: Container, { frameRate }: ResolvedProject): number {
  const seconds = visuals.map((visual) => {
    const { enterBegin, exitEnd } = visual
    return exitEnd ?? (visualTypeOf(visual).recording ? enterBegin + 1 / frameRate : 0)
  })
  return seconds.reduce((a, b) => Math.max(a, b), 0)
}

function clipsIn({ visuals }: Container, length: number): ShownClip[] {
  return visuals.flatMap((visual) => {
    const { clip } = visualTypeOf(visual)
    if (!clip) return []
    const { field, enterBegin, exitEnd = length } = visual
    return [{ field, begin: enterBegin, end: Math.min(exitEnd, length), look: clip.look(visual) }]
  })
}
