import type { ResolvedVisual } from '../../visuals/resolved.ts'
import { visualTypeOf } from '../../visuals/visual-types.ts'
import { isRecord } from '../check.ts'
import type { KnownLengths } from '../lengths.ts'
import { childOf } from '../report.ts'
import type { ResolvedAudio, ResolvedProject } from '../resolved.ts'
import type { Scenery } from './scenery.ts'
import { quoted, type Warning } from './warning.ts'

/** Parts of a project that no moment of the film shows or plays. */

/** Times that differ by less are equal, as in the timeline. */
const epsilonSeconds = 1e-6

/** Warns of sounds without a moment to play, of empty cuts, late captions and missed frames. */
export function neverThere(
  project: ResolvedProject,
  { lengths, scenery }: { lengths: KnownLengths; scenery: Scenery },
): Warning[] {
  const { film, scenes } = lengths
  const holders = [
    { holder: project, length: film, name: 'film' },
    ...project.scenes.map((holder, i) => ({ holder, length: scenes[i], name: 'scene' })),
  ]
  return [
    ...holders.flatMap(({ holder, length, name }) =>
      holder.audios.flatMap((audio) => unheard(audio, { length, name })),
    ),
    ...holders.flatMap(({ holder }) => holder.visuals.flatMap(emptyCut)),
    ...lateCaptions(project, film),
    ...missedFrames(project, { film, scenery }),
  ]
}

/** `length`: of the scene or film around it, s; undefined = not known yet. */
function unheard(
  audio: ResolvedAudio,
  { length, name }: { length: number | undefined; name: string },
): Warning[] {
  const { field, enter, exit, matchDuration, audioBegin, audioEnd, audioDuration } = audio
  const say = (key: string, why: string): Warning[] => [
    { field: childOf(field, key), code: 'never_heard', message: `The sound never plays: ${why}.` },
  ]
  if (length !== undefined && enter >= length - epsilonSeconds) {
    return say('enter', `it enters at ${enter}, but the ${name} ends at ${rounded(length)}`)
  }
  if (!matchDuration && exit !== undefined && exit - enter < epsilonSeconds) {
    return say('exit', `enter and exit are both ${exit}`)
  }
  if (audioEnd !== undefined && audioEnd - audioBegin < epsilonSeconds) {
    return say('audioEnd', `audioBegin and audioEnd are both ${audioEnd}`)
  }
  return audioDuration === 0 ? say('audioDuration', 'audioDuration is 0') : []
}

function emptyCut(visual: ResolvedVisual): Warning[] {
  if (!('videoBegin' in visual)) return []
  const { field, videoBegin, videoEnd } = visual
  if (videoEnd === undefined || videoEnd - videoBegin >= epsilonSeconds) return []
  const message = `videoBegin and videoEnd are both ${videoEnd}: the clip stands still on one frame, without sound.`
  return [{ field: childOf(field, 'videoEnd'), code: 'empty_cut', message }]
}

/** Warns once of captions that begin when the film is over. */
function lateCaptions({ subtitle }: ResolvedProject, film: number | undefined): Warning[] {
  const captions = subtitle?.captions ?? []
  if (film === undefined) return []
  const late = captions.flatMap(({ start, text }, i) =>
    start >= film - epsilonSeconds ? [{ start, text, field: `subtitle.captions[${i}]` }] : [],
  )
  const [first] = late
  if (!first) return []
  const end = `the film ends at ${rounded(film)}`
  const begin = `${quoted(first.text)} begins at ${first.start}`
  const rest = late.length > 1 ? `, and so are ${late.length - 1} more` : ''
  const message =
    late.length === captions.length
      ? `No caption is ever visible: ${begin}, but ${end}.`
      : `The caption is never visible${rest}: ${begin}, but ${end}.`
  return [{ field: `${first.field}.start`, code: 'never_visible', message }]
}

/** Warns of elements that come and go between two frames. */
function missedFrames(
  { type, frameRate }: ResolvedProject,
  { film, scenery }: { film: number | undefined; scenery: Scenery },
): Warning[] {
  if (type === 'image' || film === undefined) return []
  return scenery.stages
    .flatMap(({ actors }) => actors)
    .flatMap(({ visual, begin, end }): Warning[] => {
      if (end - begin <= 0 || end - begin >= 1 / frameRate) return []
      const frame = Math.ceil((begin - epsilonSeconds) * frameRate) / frameRate
      if (frame < end - epsilonSeconds) return []
      const { field, enterBegin } = visual
      const message = `The element is never visible: at ${frameRate} frames a second no frame falls between ${rounded(enterBegin)} and ${rounded(enterBegin + end - begin)} s.`
      return [{ field, code: 'never_visible', message }]
    })
}

/**
 * Warns of elements that are written with an opacity of 0. A placeholder that gives 0 hides on
 * purpose, and a clip may be there for its sound.
 */
export function clearElements(project: ResolvedProject, payload: object): Warning[] {
  const all = [project, ...project.scenes].flatMap(({ visuals }) => visuals)
  // A film of nothing else has its own warning.
  if (all.every(({ opacity }) => opacity === 0)) return []
  return all.flatMap((visual): Warning[] => {
    const { field, opacity } = visual
    if (opacity > 0 || visualTypeOf(visual).recording || sentAt(payload, field)?.opacity !== 0)
      return []
    const message = 'The element is never visible: its opacity is 0.'
    return [{ field: childOf(field, 'opacity'), code: 'never_visible', message }]
  })
}

/** Returns the item of a field like `scenes[2].visuals[0]`, as it was sent. */
function sentAt(payload: object, field: string): Readonly<Record<string, unknown>> | undefined {
  let node: unknown = payload
  for (const [key] of field.matchAll(/[^.[\]]+/g)) {
    node = isRecord(node) ? node[key] : Array.isArray(node) ? node[Number(key)] : undefined
  }
  return isRecord(node) ? node : undefined
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
