import type { ResolvedProject, ResolvedScene } from '../project/resolved.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import { linkClips } from '../visuals/video/links.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { placeCaptions } from './captions.ts'
import type { Facts } from './facts.ts'
import { filmSeconds, framesOf, sceneTimes } from './length.ts'
import type { TimedElement, TimedScene, Timeline } from './types.ts'

/** Returns the scenes' elements, in their order, then those of the whole film. */
export function elementsOf({ scenes, elements }: Timeline): TimedElement[] {
  return [...scenes.flatMap((scene) => scene.elements), ...elements]
}

/**
 * Makes the timeline. Throws FarmError when a fact is missing: the caller ingested or baked too little.
 */
export function makeTimeline(project: ResolvedProject, facts: Facts): Timeline {
  const scenes = placeScenes(project, facts)
  const seconds = filmSeconds(project, scenes.at(-1)?.end ?? 0, facts)
  const still = project.type === 'image'
  return {
    width: project.width,
    height: project.height,
    frameRate: project.frameRate,
    frames: still ? 1 : framesOf(seconds, project),
    firstSecond: still ? project.snapshotTime : 0,
    background: project.transparent ? null : project.backgroundColor,
    scenes,
    elements: placeElements(project.visuals, { begin: 0, end: seconds, project, facts }),
    ...(project.subtitle && { captions: placeCaptions(project.subtitle, { project, facts }) }),
  }
}

function placeScenes(project: ResolvedProject, facts: Facts): TimedScene[] {
  const times = sceneTimes(project.scenes, facts)
  return project.scenes.map((scene, i) => {
    const time = times[i] ?? { begin: 0, end: 0, overlap: 0 }
    return placeScene(scene, { ...time, project, facts })
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
      ...visualTypeOf(visual).layout(visual, { canvas: at.project, facts: at.facts }),
    }
  })
  return linkClips(visuals, elements, at.facts)
}
