import type { Fault } from '../errors.ts'
import { listed } from '../listed.ts'
import { visualTypes } from '../visuals/visual-types.ts'
import { type Pixels, pixelsName } from './draw.ts'
import type { TimedElement, Timeline } from './types.ts'

/** Most distinct clips shown at the same time: each has a decoder of its own on the painting node. */
const clipsAtOnceMax = 25

/**
 * An element with a clip, shown from `begin` until `end` (excluded), seconds. Clips of one `look`
 * always show the same picture, and count once.
 */
export type ShownClip = {
  readonly field: string
  readonly begin: number
  readonly end: number
  readonly look: string
}

/** Names of the types that show clips: `VIDEO and GIF`. */
const clipNames = listed(
  Object.entries(visualTypes)
    .flatMap(([name, { clip }]) => (clip ? [name] : []))
    .toReversed(),
  'and',
)

/** Reports the first clip beyond the limit. `shown` is on one clock, in the order of the request. */
export function crowdFault(shown: readonly ShownClip[], frameRate: number): Fault | undefined {
  // Frame n shows n / frameRate: a clip that comes and goes between two frames is never seen.
  const frameAt = (second: number) => Math.ceil(second * frameRate - 1e-6)
  const clips = shown
    .map(({ begin, end, ...rest }) => ({ ...rest, begin: frameAt(begin), end: frameAt(end) }))
    .filter(({ begin, end }) => begin < end)
  for (const frame of new Set(clips.map(({ begin }) => begin).toSorted((a, b) => a - b))) {
    const seen = clips.filter(({ begin, end }) => begin <= frame && frame < end)
    const looks = [...new Set(seen.map(({ look }) => look))]
    if (looks.length <= clipsAtOnceMax) continue
    const beyond = seen.find(({ look }) => look === looks[clipsAtOnceMax])
    const second = Math.round((frame / frameRate) * 1000) / 1000
    const rule = `At most ${clipsAtOnceMax} different clips (${clipNames}) may be visible at the same time.`
    const message = `${rule} Got ${looks.length} at ${second} s.`
    return { field: beyond?.field ?? '', code: 'invalid_project', message }
  }
  return undefined
}

/** Returns all clips of a film, on its clock. */
export function clipsOf({ scenes, elements }: Timeline): ShownClip[] {
  return [...scenes.flatMap((scene) => scene.elements), ...elements].flatMap((element) => {
    const { field, begin, end, play } = element
    return play ? [{ field, begin, end, look: lookOf(element, element.pixels) }] : []
  })
}

function lookOf({ begin, play }: TimedElement, pixels: Pixels): string {
  const name = pixels.kind === 'clip' ? pixelsName({ ...pixels, frame: 0 }) : ''
  return JSON.stringify([name, begin, play])
}
