import type { TaskEnd } from '../contract.ts'

/**
 * Tasks that a stage has queued. `end` is set when a task had ended before this step, which was
 * then repeated.
 */
export type StartedTasks = {
  readonly tasks: readonly { readonly name: string; readonly end?: TaskEnd }[]
}

/** Stages that continue a job after a wait. */
export type ResumedStage = 'prepareInputs' | 'bakeCaptions' | 'render' | 'assemble' | 'settle'

/** Stages that `runJob` resumes, each with a `Next` of its own; settling ends the job. */
export type RepeatedStage = Exclude<ResumedStage, 'settle'>

/**
 * Names the event that a job waits for, and the stage that goes on afterwards. A stage never waits:
 * it answers this. The job's tasks are awaited in any case.
 */
export type Next =
  | (StartedTasks & { readonly wait: 'tasks'; readonly resume: ResumedStage })
  /** Another job of the group fetches the very media that this one lacks. */
  | (StartedTasks & {
      readonly wait: 'media-of'
      readonly jobId: string
      readonly resume: 'prepareInputs'
    })
  /** Other jobs of the account render these segments. */
  | (StartedTasks & {
      readonly wait: 'segments'
      readonly fingerprints: readonly string[]
      readonly resume: 'render'
    })
  | { readonly wait: 'nothing'; readonly settled: Settled }

/** `endsBulk`: nothing is left to do for the job's bulk. */
export type Settled = { readonly endsBulk: boolean }
