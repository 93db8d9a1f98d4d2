import type { ResolvedVisual } from '../../visuals/resolved.ts'
import { isRecord } from '../check.ts'
import { knownLengths } from '../lengths.ts'
import type { ResolvedProject } from '../resolved.ts'
import type { Warning } from './warning.ts'

/** Times that differ by less are equal, as in the timeline. */
const epsilonSeconds = 1e-6

type Payload = Readonly<Record<string, unknown>>

/** Warns of a project or scene that shows nothing but its background. `payload`: as it was sent. */
export function nothingVisible(project: ResolvedProject, payload: Payload): Warning[] {
  const { scenes, visuals } = project
  const { film, scenes: lengths } = knownLengths(project)
  if (hasCaption(project, film)) return []
  const ofFilm = visuals.some((visual) => isSeen(visual, project, film))
  const ofScenes = scenes.map((scene, i) =>
    scene.visuals.some((visual) => isSeen(visual, project, lengths[i])),
  )
  const isPruned = isGiven(payload.scenes) && scenes.length === 0 && project.type === 'video'
  if (isPruned) {
    const length = film === undefined ? '' : ` and lasts ${seconds(film)} s`
    const what = ofFilm ? 'only the elements of the project' : 'nothing but its background'
    const rule = 'Every scene is left out, by its condition or an empty iterate'
    return [say('scenes', `${rule}: the film shows ${what}${length}.`)]
  }
  if (!ofFilm && !ofScenes.includes(true)) {
    // An element that comes too late has its own warning.
    const isTold = [project, ...scenes].some((holder) => holder.visuals.some(isOpaque))
    return isTold ? [] : [say(placeOf(payload), messageOf(project, film))]
  }
  if (ofFilm) return []
  return scenes.flatMap(({ field, visuals: left }, i) => {
    const isEmptied = left.length === 0 && isGiven(sentScene(payload, field)?.visuals)
    if (ofScenes[i] || !isEmptied) return []
    const message =
      'Every element is left out by its condition: the scene shows only its background.'
    return [say(`${field}.visuals`, message)]
  })
}

/** A file that has not been read counts: it may have captions. */
function hasCaption({ subtitle }: ResolvedProject, film = Number.POSITIVE_INFINITY): boolean {
  if (!subtitle) return false
  return subtitle.src !== undefined || subtitle.captions.some(({ start }) => start < film)
}

function say(field: string, message: string): Warning {
  return { field, code: 'nothing_visible', message }
}

function isGiven(list: unknown): boolean {
  return typeof list === 'string' || (Array.isArray(list) && list.length > 0)
}

function placeOf({ scenes, visuals }: Payload): string {
  if (isGiven(scenes)) return 'scenes'
  return visuals === undefined ? '' : 'visuals'
}

function messageOf(project: ResolvedProject, film: number | undefined): string {
  const { type, audios, scenes } = project
  if (type === 'image') return 'No element is visible: the still shows only its background.'
  const sounds = [audios, ...scenes.map((scene) => scene.audios)].some((list) => list.length > 0)
  const length = film === undefined ? 'the film' : `${seconds(film)} s of film`
  return `No element is visible: ${length} shows only its background${sounds ? ', with sound' : ''}.`
}

function seconds(film: number): number {
  return Math.round(film * 1000) / 1000
}

/** Returns the scene of a field like `scenes[2]`, as it was sent. */
function sentScene({ scenes }: Payload, field: string): Payload | undefined {
  const index = /^scenes\[(\d+)\]$/.exec(field)?.[1]
  const scene = Array.isArray(scenes) && index !== undefined ? scenes[Number(index)] : undefined
  return isRecord(scene) ? scene : undefined
}

function isOpaque({ opacity }: ResolvedVisual): boolean {
  return opacity > 0
}

/** `length`: of the scene or project around it, s; undefined = not known yet. */
function isSeen(
  visual: ResolvedVisual,
  project: ResolvedProject,
  length = Number.POSITIVE_INFINITY,
): boolean {
  if (!isOpaque(visual)) return false
  if (project.type === 'image') return unseenInStill(visual, project.snapshotTime) === undefined
  return Math.min(visual.exitEnd ?? length, length) > visual.enterBegin
}

/** Returns why an element is not in a still, as a sentence; undefined = it is. */
export function unseenInStill(visual: ResolvedVisual, snapshotTime: number): string | undefined {
  const { enterBegin, enterEnd, enterAnimation, exitEnd = Number.POSITIVE_INFINITY } = visual
  const at = `snapshotTime is ${snapshotTime}`
  if (snapshotTime < enterBegin - epsilonSeconds) {
    return `The element is not in the still: it enters at ${enterBegin}, and ${at}.`
  }
  if (snapshotTime >= exitEnd - epsilonSeconds) {
    return `The element is not in the still: it leaves at ${exitEnd}, and ${at}.`
  }
  const isBeginning = snapshotTime - enterBegin < epsilonSeconds && enterEnd > enterBegin
  if (enterAnimation !== null && isBeginning) {
    const when = `enterAnimation ${enterAnimation} begins at ${enterBegin}`
    return `The element is not visible in the still yet: its ${when}, and ${at}.`
  }
  return undefined
}
