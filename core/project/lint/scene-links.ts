import { overlapSeconds } from '../../timeline/length.ts'
import { isRecord } from '../check.ts'
import { knownLengths } from '../lengths.ts'
import { nearest } from '../nearest.ts'
import type { ResolvedProject } from '../resolved.ts'
import type { Warning } from './warning.ts'

/** Warns of scene transitions that do not play as written, and of their effect on lengths. */

type Item = Readonly<Record<string, unknown>>

const close = 1e-6

/** `filled`: the project filled in; `sent`: as it came, with the pruned scenes. */
export function sceneLinks(
  project: ResolvedProject,
  { filled, sent }: { filled: Item; sent: Item },
): Warning[] {
  return [
    ...unknownTargets(project, itemsOf(filled.scenes), idsOf(sent.scenes)),
    ...shortScenes(project),
    ...longerThanSaid(project),
  ]
}

function itemsOf(list: unknown): Item[] {
  return Array.isArray(list) ? list.filter(isRecord) : []
}

function idsOf(list: unknown): string[] {
  return itemsOf(list).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
}

/** Warns where a `transitionId` is not the next scene's id; `none` is an intended hard cut. */
function unknownTargets(
  project: ResolvedProject,
  filled: readonly Item[],
  sentIds: readonly string[],
): Warning[] {
  const ids = new Set(project.scenes.map(({ id }) => id))
  return project.scenes.flatMap(({ field }, i) => {
    const { transitionId, transition } = filled[i] ?? {}
    if (typeof transitionId !== 'string' || transitionId === 'none') return []
    const next = project.scenes[i + 1]
    if (transitionId === next?.id) return []
    const say = (message: string): Warning[] => [
      { field: `${field}.transitionId`, code: 'link_ignored', message },
    ]
    const target = JSON.stringify(transitionId)
    if (!ids.has(transitionId)) {
      // A scene pruned by its condition takes the transition into it along.
      if (sentIds.includes(transitionId)) return []
      const meant = nearest(transitionId, ids)
      const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`
      return say(`No scene has the id ${target}: a hard cut.${hint}`)
    }
    if (next === undefined || typeof transition !== 'string') return []
    const rule = 'transitionId must be the id of the next scene'
    return say(`${rule}, ${JSON.stringify(next.id)}, or none. Got ${target}: a hard cut.`)
  })
}

/** Warns where scenes are shorter than their overlap, so that the film gets shorter than it seems. */
function shortScenes(project: ResolvedProject): Warning[] {
  const { film, scenes: lengths } = knownLengths(project)
  const known = lengths.map((length) => length ?? Number.POSITIVE_INFINITY)
  const overlaps = overlapSeconds(project.scenes, known)
  return project.scenes.flatMap(({ field, transition, transitionDuration }, i) => {
    const overlap = overlaps[i] ?? 0
    const isLast = i === project.scenes.length - 1
    if (isLast || transition === null || transitionDuration - overlap < close) return []
    const whole = film === undefined ? '' : ` The film lasts ${shown(film)} s.`
    const rule = `transitionDuration is ${transitionDuration} s, but the scenes beside it only leave ${shown(overlap)} s`
    const message = `${rule} for it.${whole}`
    return [{ field: `${field}.transitionDuration`, code: 'transition_cut_short', message }]
  })
}

/** Warns of a film longer than its duration; in `auto` a duration is only a minimum. */
function longerThanSaid(project: ResolvedProject): Warning[] {
  const { duration, durationMode, scenes } = project
  const { film } = knownLengths(project)
  const isShort = duration !== undefined && film !== undefined && film - duration > close
  if (!isShort || scenes.length === 0 || durationMode === 'auto') return []
  const message = `duration is ${duration} s, but the scenes make the film ${shown(film)} s long.`
  return [{ field: 'duration', code: 'duration_ignored', message }]
}

function shown(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
