import type { Fault } from './errors.ts'
import type { PlanLimits } from './plans.ts'
import type { ResolvedAudio, ResolvedProject, ResolvedVisual } from './project/resolved.ts'
import type { Facts } from './timeline/facts.ts'
import { filmSeconds, overlapSeconds, sceneSeconds } from './timeline/length.ts'

/** A frame of up to this many pixels costs one credit a second, a larger one four. */
const plainFramePixels = 2_073_600
const largeFrameFactor = 4

/**
 * Credits of a project whose length is known: an image 1, a video each second begun. Lengths are
 * rounded to the microsecond first, so that 0.1 + 0.2 costs what 0.3 costs.
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

/** What credits are for; the lines add up to the price. */
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

/** `exact`: no length depends on media that have not been probed. */
export type Price = { readonly credits: number; readonly seconds: number; readonly exact: boolean }

/**
 * What to hold for a project at its submission, before any media is probed. Where a length
 * is that of a sound or a clip, the film can be as long as the plan allows and no longer (it is refused once
 * the sound has been probed), so that much is held: what is captured is never more than was held.
 */
export function priceAtSubmission(project: ResolvedProject, plan: PlanLimits): Price {
  const known = knownSeconds(project)
  const exact = project.type === 'image' || !isOpenEnded(project)
  const seconds = exact ? known : Math.max(known, plan.durationSeconds)
  return { credits: creditsOf(project, seconds), seconds, exact }
}

/**
 * The plan's limit for the film's length; `facts` of probed media sharpen it. Asked again once all
 * media are known.
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
  const field = project.scenes.length > 0 ? 'scenes' : 'duration'
  return { field, code: 'plan_limit', message }
}

const unprobed: Facts = { media: new Map(), bakes: new Map() }

/** The film's length as far as it is known; a source of unknown length counts for nothing. */
export function knownSeconds(project: ResolvedProject, facts: Facts = unprobed): number {
  const lengths = project.scenes.map((scene) => sceneSeconds(scene, facts))
  const overlaps = overlapSeconds(project.scenes, lengths)
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  return filmSeconds(project, sum(lengths) - sum(overlaps), facts)
}

/** Whether a source without a given end decides the length of a scene, or of an `auto` project. */
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
  if (visual.type !== 'VIDEO' || visual.exitEnd !== undefined) return false
  return visual.videoEnd === undefined && visual.videoDuration === undefined
}

function hasUnknownEnd(audio: ResolvedAudio): boolean {
  if (audio.matchDuration || audio.exit !== undefined) return false
  return audio.audioEnd === undefined && audio.audioDuration === undefined
}
