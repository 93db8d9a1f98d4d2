import { join } from 'node:path'
import { thumbnailSegment } from '../../core/plan/inputs.ts'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'
import { takeThumbnail } from '../encode/join.ts'
import { linkOrCopy } from '../link-or-copy.ts'
import { scratchFolder } from '../scratch.ts'
import { writeThumbnail } from './thumbnail.ts'

/** A film's thumbnail that is made while other segments are still being rendered. */
export type EarlyThumbnail = {
  /** Takes a finished segment, whose file may be moved or removed afterwards. */
  take(segment: Segment, file: string): Promise<void>
  /** Resolves when nothing is being done any more. */
  ended(): Promise<void>
  /** The jpg; undefined when no segment showed it. @throws what making it threw */
  written(): Promise<string | undefined>
}

/**
 * Begins with the segment that shows it. What is painted, or was given by the customer, begins with the first segment that is
 * finished, and only where the whole film is made here: then what it shows is here, too.
 */
export function openEarlyThumbnail(
  plan: Plan,
  { isWhole }: { isWhole: boolean },
  task: TaskContext,
): EarlyThumbnail | undefined {
  const shown = thumbnailSegment(plan)
  if (shown === undefined && !isWhole) return undefined
  let made: Promise<string> | undefined
  const begin = (make: () => Promise<string>) => {
    made = task.span.part('thumbnail', make)
    // Heard in `written`; until then it must not end the process.
    made.catch(() => undefined)
  }
  return {
    async take({ fingerprint }, file) {
      if (made !== undefined) return
      if (shown === undefined) begin(() => paint(plan, task))
      else if (fingerprint === shown.fingerprint) {
        const own = join(task.dir, 'thumbnail-segment')
        await linkOrCopy(file, own)
        begin(() => takeOutOf(own, { plan, shown }, task))
      }
    },
    ended: async () => void (await made?.catch(() => undefined)),
    written: async () => made,
  }
}

async function paint(plan: Plan, task: TaskContext): Promise<string> {
  const to = join(await scratchFolder(task.dir, 'out'), 'thumbnail')
  await writeThumbnail({ plan, segments: [], to }, task)
  return to
}

function takeOutOf(
  file: string,
  { plan: { timeline, output }, shown }: { plan: Plan; shown: Segment },
  { node, dir, signal }: TaskContext,
): Promise<string> {
  const frame = output.thumbnailFrame - shown.start
  return takeThumbnail({ ...timeline, file, frame }, { sandbox: node.sandbox, dir, signal })
}
