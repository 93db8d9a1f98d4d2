import { join } from 'node:path'
import { thumbnailSegment } from '../../core/plan/inputs.ts'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'
import { takeThumbnail } from '../encode/join.ts'
import { linkOrCopy } from '../files/link-or-copy.ts'
import { scratchFolder } from '../files/scratch.ts'
import { writeThumbnail } from './thumbnail.ts'

/** Makes a film's thumbnail while other segments are still being rendered. */
export type EarlyThumbnail = {
  /** Takes a finished segment, whose file may be moved or removed afterwards. */
  take(segment: Segment, file: string): Promise<void>
  /** Resolves when all work has ended. */
  ended(): Promise<void>
  /** Returns the jpg; undefined when no segment showed it. @throws the error of making it */
  written(): Promise<string | undefined>
}

/**
 * Opens an early thumbnail, which begins with the segment that shows it. A painted or a customer's
 * own picture begins with the first finished segment, and only if the whole film is made here: then
 * its sources are here, too.
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
    // `written` reports the error; until then it must not end the process.
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
