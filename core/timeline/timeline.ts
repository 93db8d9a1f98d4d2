import type { ResolvedProject, ResolvedScene, ResolvedVisual } from '../project/resolved.ts'
import { placeCaptions, type TimedCaption } from './captions.ts'
import { linkedPlay, type Play, playOf } from './clip.ts'
import type { ColorFilter, Pixels, Radii } from './draw.ts'
import { clipFactsOf, type Facts } from './facts.ts'
import { layoutVisual } from './layout.ts'
import { filmSeconds, overlapSeconds, sceneSeconds } from './length.ts'
import { type Link, linkClips } from './links.ts'
import type { Rect } from './rect.ts'

/**
 * The resolved project on one clock, with every size known: the input of `describeFrame`. Seconds
 * are absolute film time. Lists are in painting order, bottom first.
 */
export type Timeline = {
  readonly width: number
  readonly height: number
  readonly frameRate: number
  readonly frames: number
  /** Film second of frame 0: 0, or a still's `snapshotTime`. */
  readonly firstSecond: number
  /** null = transparent (stills only). */
  readonly background: string | null
  readonly scenes: readonly TimedScene[]
  /** Project visuals, above all scenes. */
  readonly elements: readonly TimedElement[]
  /** Lines of the subtitle, above everything else; absent = no subtitle. */
  readonly captions?: readonly TimedCaption[]
}

export type TimedScene = {
  readonly begin: number
  readonly end: number
  readonly background: string
  /** Transition into the next scene, which begins `seconds` before this one's end. */
  readonly transition: { readonly name: string; readonly seconds: number } | null
  readonly elements: readonly TimedElement[]
}

/**
 * Animation frames: `order[k]` is the one of `shown` at k / `frameRate` seconds after `begin`; the
 * last is held.
 */
export type Moments = {
  readonly frameRate: number
  readonly shown: readonly Pick<TimedElement, 'pixels' | 'source' | 'dest'>[]
  readonly order: readonly number[]
}

/** An element, shown from `begin` until `end` (excluded). */
export type TimedElement = {
  readonly field: string
  readonly begin: number
  readonly enterEnd: number
  readonly exitBegin: number
  /** End of the exit. The element is gone by then, or earlier with its container. */
  readonly exitEnd: number
  readonly end: number
  readonly enter: string | null
  readonly exit: string | null
  /** Pixels to draw; for a clip, its first frame that plays. */
  readonly pixels: Pixels
  /** Playback of the element's clip. */
  readonly play?: Play
  /** Animation frames to show instead, while custom code moves it. */
  readonly moments?: Moments
  /** Link to the clip that replaces this one; the element ends with the link. */
  readonly link?: Link
  /** Part of the picture that is drawn, px of the picture. */
  readonly source: Rect
  /** Destination of that part, canvas px, before rotation and zoom. */
  readonly dest: Rect
  /** The element's box: it turns, flips and zooms about its centre. */
  readonly box: Rect
  /** Corner radii of the visible part, when any is above 0 or the zoom needs clipping. */
  readonly clip?: { readonly rect: Rect; readonly radii: Radii }
  readonly opacity: number
  readonly angle: number
  readonly flipH: boolean
  readonly flipV: boolean
  /** 1 = none. */
  readonly zoomDepth: number
  readonly filter?: ColorFilter
}

/** Returns the scenes' elements, in their order, then those of the whole film. */
export function elementsOf({ scenes, elements }: Timeline): TimedElement[] {
  return [...scenes.flatMap((scene) => scene.elements), ...elements]
}

/**
 * Makes the timeline. Throws FarmError when a fact is missing: the caller ingested or baked too little.
 */
export function makeTimeline(project: ResolvedProject, facts: Facts): Timeline {
  const lengths = project.scenes.map((scene) => sceneSeconds(scene, facts))
  const scenes = placeScenes(project, lengths, facts)
  const seconds = filmSeconds(project, scenes.at(-1)?.end ?? 0, facts)
  const still = project.type === 'image'
  return {
    width: project.width,
    height: project.height,
    frameRate: project.frameRate,
    frames: still ? 1 : Math.max(1, Math.round(seconds * project.frameRate)),
    firstSecond: still ? project.snapshotTime : 0,
    background: project.transparent ? null : project.backgroundColor,
    scenes,
    elements: placeElements(project.visuals, { begin: 0, end: seconds, project, facts }),
    ...(project.subtitle && { captions: placeCaptions(project.subtitle, { project, facts }) }),
  }
}

/** Places scenes: start of scene i = start of i-1 + its duration - its overlap into i. */
function placeScenes(
  project: ResolvedProject,
  lengths: readonly number[],
  facts: Facts,
): TimedScene[] {
  const overlaps = overlapSeconds(project.scenes, lengths)
  let begin = 0
  return project.scenes.map((scene, i) => {
    const length = lengths[i] ?? 0
    const overlap = overlaps[i] ?? 0
    const placed = placeScene(scene, { begin, end: begin + length, overlap, project, facts })
    begin += length - overlap
    return placed
  })
}

function placeScene(
  scene: ResolvedScene,
  at: {
    begin: number
    end: number
    overlap: number
    project: ResolvedProject
    facts: Facts
  },
): TimedScene {
  return {
    begin: at.begin,
    end: at.end,
    background: scene.backgroundColor,
    transition:
      scene.transition === null || at.overlap === 0
        ? null
        : { name: scene.transition, seconds: at.overlap },
    elements: placeElements(scene.visuals, at),
  }
}

/** Places elements. Higher tracks paint later; on one track, later items do. */
function placeElements(
  visuals: readonly ResolvedVisual[],
  at: { begin: number; end: number; project: ResolvedProject; facts: Facts },
): TimedElement[] {
  const ordered = visuals.toSorted((a, b) => a.track - b.track)
  const elements = ordered.map((visual): TimedElement => {
    const exitEnd = visual.exitEnd === undefined ? at.end : at.begin + visual.exitEnd
    return {
      field: visual.field,
      begin: at.begin + visual.enterBegin,
      enterEnd: at.begin + visual.enterEnd,
      exitBegin: visual.exitBegin === undefined ? at.end : at.begin + visual.exitBegin,
      exitEnd,
      end: Math.min(at.end, exitEnd),
      enter: visual.enterAnimation,
      exit: visual.exitAnimation,
      ...layoutVisual(visual, { canvas: at.project, facts: at.facts }),
    }
  })
  return linkClips(visuals, elements).map((element, i) => {
    const visual = ordered[i]
    const clip = visual?.type === 'VIDEO' && element.link && clipFactsOf(visual, at.facts)
    return clip
      ? { ...element, play: playOf(linkedPlay(visual, element, at.facts), clip) }
      : element
  })
}
