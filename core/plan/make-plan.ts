import { engineVersion } from '../engine.ts'
import { FarmError } from '../errors.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import { clipsOf, crowdFault } from '../timeline/clips-at-once.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { makeTimeline } from '../timeline/timeline.ts'
import type { Timeline } from '../timeline/types.ts'
import { audioClips } from './audio.ts'
import { fingerprintText, type RunPrint, runPrints } from './fingerprint.ts'
import { filmFormats, isFilmFormat } from './formats.ts'
import type { CanvasSettings, EncoderSettings, KeyFrames, OutputSettings, Plan } from './plan.ts'
import { encodedFramesOf, isRepeating, runsWithin } from './runs.ts'
import { cutSegments, gopSeconds } from './segments.ts'

/**
 * Makes the immutable plan of a job: the same project and facts give the same plan anywhere.
 * `sha256` returns lower-case hex. Throws FarmError when a fact is missing, or too many clips are
 * shown at the same time.
 */
export function makePlan(input: PlanInput): Plan {
  const steps = planInSteps(input)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Inputs of a plan. */
type PlanInput = {
  readonly project: ResolvedProject
  readonly facts: Facts
  readonly encoder: EncoderSettings['encoder']
  readonly canvas: CanvasSettings
  /** Version of the engine whose nodes paint the plan; absent: this process's. */
  readonly engine?: string
  readonly sha256: (text: string) => string
}

/** Same as `makePlan`, one frame at a time: a long film with much motion takes a second. */
export function* planInSteps({ sha256, ...input }: PlanInput): Generator<void, Plan> {
  const { project, facts } = input
  const made = frameSettings(input)
  if (project.type === 'image') return { ...made, segments: [], audio: [] }
  const { timeline, encoder: settings } = made
  const all: RunPrint[] = []
  for (const print of runPrints(timeline, sha256)) {
    all.push(print)
    yield
  }
  const keyFrames = keyFramesIn(facts)
  const cuts = cutSegments(timeline, all, { isRepeated: isRepeating(settings), keyFrames })
  const segments = cuts.map((range, index) => {
    const runs = runsWithin(all, range)
    const fingerprint = sha256(fingerprintText(timeline, runs, made))
    const pixels = [...new Set(runs.flatMap((run) => [...run.pixels]))].sort()
    const coding = { frameRate: timeline.frameRate, encoder: settings }
    const encoded = runs.reduce((sum, run) => sum + encodedFramesOf(run, coding), 0)
    return { index, ...range, pictures: runs.length, encoded, fingerprint, pixels }
  })
  const audio = audioClips(project, { timeline, facts })
  return { ...made, segments, audio, keyFrames }
}

/**
 * Plan for single frames: it has no segments and no sound. Throws as `makePlan` does.
 */
export function planOfFrames(input: Omit<PlanInput, 'sha256'>): Plan {
  return { ...frameSettings(input), segments: [], audio: [], keyFrames: keyFramesIn(input.facts) }
}

/** The part of a plan that decides each frame's pixels. */
function frameSettings({
  project,
  facts,
  encoder,
  canvas,
  engine = engineVersion,
}: Omit<PlanInput, 'sha256'>) {
  const timeline = makeTimeline(project, facts)
  const crowd = crowdFault(clipsOf(timeline), timeline.frameRate)
  if (crowd) throw new FarmError(crowd.code, crowd.message, { field: crowd.field })
  const settings = encoderSettings(encoder, timeline.frameRate)
  const output = outputSettings(project, { timeline, facts })
  return { engine, timeline, encoder: settings, canvas, output }
}

function keyFramesIn({ media }: Facts): KeyFrames {
  const known = [...media.values()].flatMap(({ digest, facts }) =>
    facts.kind === 'video' && facts.keyFrames ? [[digest, facts.keyFrames] as const] : [],
  )
  return Object.fromEntries(known)
}

/**
 * Settings of each encoder. One thread a segment: x264's bytes depend on the count, and a node
 * fills its cores with several segments at once. Presets from slow to fast: NVENC's p7 to p1, VP9's
 * 5 to 9. An MPEG-4 quantiser of 3 looks like the others do.
 */
function encoderSettings(encoder: EncoderSettings['encoder'], frameRate: number): EncoderSettings {
  const gop = gopSeconds * frameRate
  switch (encoder) {
    case 'libx264':
      return { encoder, preset: 'veryfast', crf: 23, threads: 1, gop }
    case 'h264_nvenc':
      return { encoder, preset: 'p4', crf: 25, threads: 1, gop }
    case 'libvpx-vp9':
      return { encoder, preset: '5', crf: 27, threads: 1, gop }
    case 'mpeg4':
      return { encoder, preset: '', crf: 3, threads: 1, gop }
    default:
      return encoder satisfies never
  }
}

function outputSettings(
  project: ResolvedProject,
  { timeline, facts }: { timeline: Timeline; facts: Facts },
): OutputSettings {
  const { outputFormat, thumbnail } = project
  const picture =
    thumbnail === undefined
      ? undefined
      : facts.media.get(mediaKey({ expect: 'image', url: thumbnail }))
  return {
    format: outputFormat === 'jpeg' ? 'jpg' : outputFormat,
    soundEncoder: isFilmFormat(outputFormat) ? filmFormats[outputFormat].sound : null,
    quality: project.quality,
    transparent: project.transparent,
    title: project.type === 'image' ? '' : project.name,
    thumbnailFrame: Math.floor(timeline.frames / 3),
    ...(picture && { thumbnailPicture: picture.digest }),
  }
}
