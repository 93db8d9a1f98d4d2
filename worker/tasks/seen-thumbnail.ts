import { link } from 'node:fs/promises'
import { join } from 'node:path'
import { thumbnailSegment } from '../../core/plan/inputs.ts'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'
import { takeThumbnail } from '../encode/join.ts'

/** A film's thumbnail that is taken out of one of its segments, beside the rendering of the others. */
export type SeenThumbnail = {
  /** Takes a finished segment, whose file may be moved or removed afterwards. */
  take(segment: Segment, file: string): Promise<void>
  /** Resolves when nothing is being done any more. */
  ended(): Promise<void>
  /** The jpg; undefined when no segment showed it. @throws what taking it threw */
  written(): Promise<string | undefined>
}

/** Undefined: the film's thumbnail is painted, or the customer gave it. */
export function openSeenThumbnail(plan: Plan, task: TaskContext): SeenThumbnail | undefined {
  const { timeline, output } = plan
  const shown = thumbnailSegment(plan)
  if (shown === undefined) return undefined
  let taken: Promise<string> | undefined
  return {
    async take({ fingerprint }, file) {
      if (fingerprint !== shown.fingerprint) return
      const own = join(task.dir, 'thumbnail-segment')
      await link(file, own)
      const frame = output.thumbnailFrame - shown.start
      const { node, dir, signal } = task
      const work = { sandbox: node.sandbox, dir, signal }
      taken = task.span.part('thumbnail', () =>
        takeThumbnail({ ...timeline, file: own, frame }, work),
      )
      // Heard in `written`; until then it must not end the process.
      taken.catch(() => undefined)
    },
    ended: async () => void (await taken?.catch(() => undefined)),
    written: async () => taken,
  }
}
