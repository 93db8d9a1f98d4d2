import { Value } from 'typebox/value'
import type { EncoderSettings, Plan, Segment } from '../../core/plan/plan.ts'
import { groupSegments } from '../../core/plan/segments.ts'
import { RenderSpec } from '../../core/tasks.ts'
import type { NodeOffer } from '../../store/db/schema.ts'
import type { JobTask } from '../../store/db/statements/list-tasks-of-job.ts'

/** What a job's render tasks that are in the queue already have settled. */
export type BegunRender = {
  readonly tasks: readonly JobTask[]
  readonly segments: ReadonlySet<number>
  readonly whole: boolean
  readonly encoder: EncoderSettings['encoder'] | undefined
}

/**
 * A step that was cut off half-way and is repeated finds another fleet: what the first try put into
 * the queue stays as it is, and only the rest is grouped anew.
 */
export function begunRender(tasks: readonly JobTask[]): BegunRender {
  const begun = tasks.filter(({ kind }) => kind === 'render' || kind === 'still')
  const specs = begun.flatMap(({ spec }) => (Value.Check(RenderSpec, spec) ? [spec] : []))
  const encoder = begun.map(({ requirements }) => requirements.encoder).find((name) => name)
  return {
    tasks: begun,
    segments: new Set(specs.flatMap(({ segments }) => segments)),
    whole: begun.some(({ kind }) => kind === 'still') || specs.some(({ assemble }) => assemble),
    encoder: encoder === 'h264_nvenc' || encoder === 'libx264' ? encoder : undefined,
  }
}

/** One encoder for all shards of a job, because mixing them breaks joining; the GPU's when it is there. */
export function chooseEncoder(offers: readonly NodeOffer[]): EncoderSettings['encoder'] {
  const renders = offers.filter(({ kinds }) => kinds.includes('render'))
  const hasGpu = renders.some(({ encoders }) => encoders.includes('h264_nvenc'))
  return hasGpu ? 'h264_nvenc' : 'libx264'
}

/** Shards that can run at once on the fleet as it is; at least 1. */
export function renderSlots(
  offers: readonly NodeOffer[],
  encoder: EncoderSettings['encoder'],
): number {
  const fitting = offers.filter(
    ({ kinds, encoders }) => kinds.includes('render') && encoders.includes(encoder),
  )
  return Math.max(
    1,
    fitting.reduce((sum, { slots }) => sum + slots, 0),
  )
}

/** Segments to render, each content once: not in the store, not asked for already. */
export function segmentsToRender(
  plan: Plan,
  { stored, begun }: { stored: ReadonlySet<string>; begun: ReadonlySet<number> },
): Segment[] {
  const asked = new Set(stored)
  for (const index of begun) {
    const segment = plan.segments[index]
    if (segment) asked.add(segment.fingerprint)
  }
  return plan.segments.filter(({ fingerprint }) => {
    const fresh = !asked.has(fingerprint)
    asked.add(fingerprint)
    return fresh
  })
}

/** The segments in at most `slots` runs of about equal frames. */
export function groupShards(segments: readonly Segment[], slots: number): Segment[][] {
  return groupSegments(segments, slots).map((group) =>
    group.flatMap((index) => segments[index] ?? []),
  )
}
