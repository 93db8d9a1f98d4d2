import type { Next, RepeatedStage, Settled, StartedTasks } from '../stages/next.ts'

/**
 * Answer of a stage up to release 0.2, as the history of a job begun before an upgrade holds it.
 *
 * `unread`: captions are baked after these tasks. `again`: preparation is repeated after them.
 * `behind`: a job whose media are awaited. `shards`: rendering has begun. `whole`: the tasks finish
 * the file. `awaited`: segments that other jobs render. `settled`: the job is settled already.
 */
export type PreviousAnswer = StartedTasks & {
  readonly unread?: boolean
  readonly again?: boolean
  readonly behind?: string
  readonly shards?: PreviousShards
  readonly whole?: boolean
  readonly awaited?: readonly string[]
  readonly settled?: Settled
}

type PreviousShards = Pick<PreviousAnswer, 'tasks' | 'whole' | 'awaited' | 'settled'>

/**
 * Reads the answer of a stage, old or new. `previous`: the wait that led to the stage. The old form
 * can be removed `longestJob` after the last `workflows` role of release 0.2 has stopped.
 */
export function readNext(
  stage: RepeatedStage,
  answer: Next | PreviousAnswer,
  previous?: Next,
): Next {
  if ('wait' in answer) return answer
  const { tasks } = answer
  switch (stage) {
    case 'prepareInputs':
      return ofPreparation(answer, previous)
    case 'bakeCaptions':
      return { wait: 'tasks', tasks, resume: 'render' }
    case 'render':
      return ofRender(answer)
    case 'assemble':
      return { wait: 'tasks', tasks, resume: 'settle' }
    default:
      return stage satisfies never
  }
}

function ofPreparation(
  { tasks, unread, again, behind, shards }: PreviousAnswer,
  previous: Next | undefined,
): Next {
  // The old workflow waited once for either reason.
  if (behind !== undefined && previous === undefined) {
    return { wait: 'media-of', tasks, jobId: behind, resume: 'prepareInputs' }
  }
  if (again && previous?.wait !== 'tasks') return { wait: 'tasks', tasks, resume: 'prepareInputs' }
  if (unread) return { wait: 'tasks', tasks, resume: 'bakeCaptions' }
  if (shards) return ofRender(shards)
  return { wait: 'tasks', tasks, resume: 'render' }
}

function ofRender({ tasks, whole = false, awaited = [], settled }: PreviousShards): Next {
  if (settled) return { wait: 'nothing', settled }
  if (awaited.length > 0) {
    return { wait: 'segments', tasks, fingerprints: awaited, resume: 'render' }
  }
  return { wait: 'tasks', tasks, resume: whole ? 'settle' : 'assemble' }
}
