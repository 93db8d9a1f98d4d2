import { engineVersion } from '../engine.ts'
import { FarmError } from '../errors.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import { type Facts, makeTimeline, type Timeline } from '../timeline/timeline.ts'
import { audioClips } from './audio.ts'
import { fingerprintText, framePixels } from './fingerprint.ts'
import type { CanvasSettings, EncoderSettings, OutputSettings, Plan } from './plan.ts'
import { cutSegments } from './segments.ts'

/** Longest GOP, seconds: how far a player must decode after a seek. */
const gopSeconds = 4

/**
 * The immutable plan of a job: pure, so the same project and facts give the same plan anywhere.
 * `sha256` returns lower-case hex. Throws FarmError when a fact is missing.
 */
export function makePlan({
  project,
  facts,
  encoder,
  canvas,
  sha256,
}: {
  project: ResolvedProject
  facts: Facts
  encoder: EncoderSettings['encoder']
  canvas: CanvasSettings
  sha256: (text: string) => string
}): Plan {
  const timeline = makeTimeline(project, facts)
  const settings = encoderSettings(encoder, timeline.frameRate)
  const output = outputSettings(project, timeline)
  const made = { engine: engineVersion, timeline, encoder: settings, canvas, output }
  if (project.type === 'image') return { ...made, segments: [], audio: [] }
  const segments = cutSegments(timeline).map((range, index) => {
    const { text, pixels } = fingerprintText(timeline, range, made)
    return { index, ...range, fingerprint: sha256(text), pixels }
  })
  return { ...made, segments, audio: audioClips(project, { timeline, facts }) }
}

/**
 * One thread a segment: x264's bytes depend on the count, and a node fills its cores with several
 * segments at once. NVENC's presets run p1 (fastest) to p7.
 */
function encoderSettings(encoder: EncoderSettings['encoder'], frameRate: number): EncoderSettings {
  const gop = gopSeconds * frameRate
  switch (encoder) {
    case 'libx264':
      return { encoder, preset: 'veryfast', crf: 23, threads: 1, gop }
    case 'h264_nvenc':
      return { encoder, preset: 'p4', crf: 25, threads: 1, gop }
    default:
      return encoder satisfies never
  }
}

function outputSettings(project: ResolvedProject, timeline: Timeline): OutputSettings {
  return {
    format: outputFormat(project),
    quality: project.quality,
    transparent: project.transparent,
    title: project.name,
    thumbnailFrame: Math.floor(timeline.frames / 3),
  }
}

function outputFormat({ outputFormat: format }: ResolvedProject): OutputSettings['format'] {
  switch (format) {
    case 'mp4':
    case 'png':
    case 'jpg':
    case 'webp':
      return format
    case 'jpeg':
      return 'jpg'
    case 'mov':
    case 'avi':
    case 'webm':
      throw new FarmError('not_yet_supported', `outputFormat ${format} is not built yet.`, {
        field: 'outputFormat',
      })
    default:
      return format satisfies never
  }
}

/** Pictures that a still reads. */
export function stillPixels(plan: Plan): string[] {
  return framePixels(plan.timeline, 0)
}
