import { join } from 'node:path'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import type { Run } from '../../core/plan/runs.ts'
import type { TaskContext } from '../context.ts'
import { type FramePipe, openFramePipe } from '../encode/frame-pipe.ts'
import { type Coding, keyFramesOf } from '../still-frames/index.ts'

/** The encoder of a segment's frames. It takes as long to start as several frames take to make. */
export type SegmentEncoder = {
  readonly output: string
  /** Starts it at the first call; a source may do so before it knows whether it takes the segment. */
  start(): Promise<FramePipe>
  /** Ends it if it was started. Call it exactly once. */
  stop(): Promise<void>
}

export function segmentEncoder(
  {
    plan: { timeline, encoder },
    segment,
    runs,
  }: { plan: Plan; segment: Segment; runs: readonly (Run & Coding)[] },
  { node, dir, signal }: TaskContext,
): SegmentEncoder {
  const output = join(dir, `segment-${segment.index}`)
  const { width, height, frameRate } = timeline
  let pipe: Promise<FramePipe> | undefined
  return {
    output,
    start() {
      const format = { width, height, frameRate, encoder, keyFrames: keyFramesOf(runs) }
      pipe ??= openFramePipe(format, { output, pipes: node.pipes, signal })
      // A source that declines the segment later does not wait for it.
      pipe.catch(() => undefined)
      return pipe
    },
    async stop() {
      const started = await pipe?.catch(() => undefined)
      await started?.stop()
    },
  }
}
