import type { PlanLimits } from '../accounts/plans.ts'
import type { Fault } from '../errors.ts'
import type { ResolvedAudio, ResolvedProject } from '../project/resolved.ts'
import type { Facts } from '../timeline/facts.ts'
import { contentSeconds, knownSeconds, unprobed } from '../timeline/length.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'

/** Largest frame that costs one credit a second, in pixels; a larger one costs four. */
const plainFramePixels = 2_073_600
const largeFrameFactor = 4

/**
 * Credits of a project whose length is known: an image 1, a video each second begun. Lengths are
 * rounded to the microsecond first, so that 0.1 + 0.2 costs the same as 0.3.
 */
export function creditsOf(
  { type, width, height }: Pick<ResolvedProject, 'type' | 'width' | 'height'>,
  seconds: number,
): number {
  return priceBreakdown({ type, width, height }, seconds).reduce(
    (sum, line) => sum + line.credits,
    0,
  )
}

/** A line of the price; the lines add up to it. */
export type PriceLine = {
  readonly item: string
  readonly quantity: number
  readonly creditsEach: number
  readonly credits: number
}

export function priceBreakdown(
  { type, width, height }: Pick<ResolvedProject, 'type' | 'width' | 'height'>,
  seconds: number,
): readonly PriceLine[] {
  if (type === 'image') return [lineOf('image', 1, 1)]
  const begun = Math.max(1, Math.ceil(Math.round(seconds * 1e6) / 1e6))
  const film = lineOf('seconds of film', begun, 1)
  if (width * height <= plainFramePixels) return [film]
  const surcharge = `seconds with more than ${plainFramePixels} pixels a frame`
  return [film, lineOf(surcharge, begun, largeFrameFactor - 1)]
}

function lineOf(item: string, quantity: number, creditsEach: number): PriceLine {
  return { item, quantity, creditsEach, credits: quantity * creditsEach }
}

/**
 * `credits` are held at submission. `exact`: they are the price, because no length depends on unprobed
 * media. Otherwise the hold is topped up to the price after probing, to `creditsMost` at most.
 */
export type Price = {
  readonly credits: number
  readonly creditsMost: number
  /** 0 for a still. */
  readonly seconds: number
  readonly exact: boolean
}

/**
 * Price of a project before any media is probed, by the length that the request gives. The plan's
 * longest film bounds the cost, because a longer one is refused once its media are known.
 */
export function priceAtSubmission(project: ResolvedProject, plan: PlanLimits): Price {
  if (project.type === 'image') {
    const credits = creditsOf(project, 0)
    return { credits, creditsMost: credits, seconds: 0, exact: true }
  }
  const exact = !isOpenEnded(project)
  const seconds = exact ? knownSeconds(project) : shortestSeconds(project)
  const credits = creditsOf(project, seconds)
  const most = exact ? seconds : Math.max(seconds, plan.durationSeconds)
  return { credits, creditsMost: creditsOf(project, most), seconds, exact }
}

/** Shortest film, s (the contract's least `duration`). */
const shortestFilm = 0.1

/** Film length if media of unknown length add nothing. */
function shortestSeconds(project: ResolvedProject): number {
  const scenes = project.scenes.map((scene) => {
    const isUnknown = scene.duration === undefined && isOpen(scene)
    return isUnknown ? { ...scene, duration: contentSeconds(scene, unprobed) } : scene
  })
  return knownSeconds({ ...project, scenes, duration: project.duration ?? shortestFilm })
}

/** Price of a project whose media are known; it is held before anything of it is rendered. */
export function priceOfProbed(project: ResolvedProject, facts: Facts): number {
  return creditsOf(project, knownSeconds(project, facts))
}

/**
 * Checks the film's length against the plan; `facts` of probed media sharpen it. Checked again once
 * all media are known.
 */
export function lengthFault(
  project: ResolvedProject,
  plan: PlanLimits,
  facts: Facts = unprobed,
): Fault | undefined {
  if (project.type === 'image') return undefined
  const seconds = knownSeconds(project, facts)
  if (seconds <= plan.durationSeconds) return undefined
  const rule = `The film must be <= ${plan.durationSeconds} s long on this plan.`
  const message = `${rule} Got ${Math.round(seconds * 1000) / 1000}.`
  return { field: lengthField(project), code: 'plan_limit', message }
}

/** Field that errors about a film's length name. */
export function lengthField({ scenes }: Pick<ResolvedProject, 'scenes'>): string {
  return scenes.length > 0 ? 'scenes' : 'duration'
}

/** True where a source without a given end decides the length of a scene, or of an `auto` project. */
function isOpenEnded(project: ResolvedProject): boolean {
  const { durationMode, subtitle } = project
  const isUnread = subtitle?.src !== undefined
  if (durationMode === 'auto' && (isUnread || isOpen(project))) return true
  return project.scenes.some((scene) => scene.duration === undefined && isOpen(scene))
}

function isOpen({ visuals, audios }: Pick<ResolvedProject, 'visuals' | 'audios'>): boolean {
  return visuals.some(playsToItsEnd) || audios.some(hasUnknownEnd)
}

function playsToItsEnd(visual: ResolvedVisual): boolean {
  const { recording } = visualTypeOf(visual)
  return recording !== null && visual.exitEnd === undefined && !recording.hasGivenEnd(visual)
}

function hasUnknownEnd(audio: ResolvedAudio): boolean {
  if (audio.matchDuration || audio.exit !== undefined) return false
  return audio.audioEnd === undefined && audio.audioDuration === undefined
}
