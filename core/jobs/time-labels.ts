import type { JobStage } from './jobs.ts'

/** A stage of a job, and the time before the first one. */
export type SpentStage = JobStage | 'queue'

export const stageLabels: Readonly<Record<SpentStage, string>> = {
  queue: 'waiting for its turn',
  resolve: 'reading the request',
  ingest: 'fetching media',
  bake: 'painting texts and code',
  plan: 'planning',
  render: 'rendering',
  assemble: 'joining the film',
  settle: 'settling',
}

/** Steps that nodes time (worker/tasks/stopwatch.ts); `segments` is left out, which holds others. */
export const stepLabels = {
  download: 'loading inputs',
  bake: 'painting texts and code',
  pictures: 'decoding pictures',
  clips: 'decoding clips',
  moments: 'decoding animations',
  paint: 'painting frames',
  compose: 'composing photographs',
  convert: 'converting colours',
  encode: 'encoding',
  hold: 'repeating still frames',
  sound: 'mixing the sound',
  join: 'joining segments',
  thumbnail: 'taking the thumbnail',
  preview: 'taking previews',
  sheet: 'making the sheet',
  upload: 'storing files',
} as const
export type Step = keyof typeof stepLabels
