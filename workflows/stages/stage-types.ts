import type { PreparingJob, RenderJobInput } from '../contract.ts'
import type { JobEnd } from './context.ts'
import type { Next, Settled } from './next.ts'

/** The stages of a job. Each may be repeated at any time and then does only what is missing. */
export type Stages = {
  /**
   * Resolves the project and queues the missing media and bakes; renders when nothing is missing.
   */
  prepareInputs(job: PreparingJob): Promise<Next>
  /** Queues the bakes of the captions in a subtitle file that has been fetched. */
  bakeCaptions(job: RenderJobInput): Promise<Next>
  /** Plans and queues the missing segments; settles when the store has the file. */
  render(job: RenderJobInput): Promise<Next>
  /** Publishes the segments that the job has rendered, before it waits for others'. */
  shareSegments(job: RenderJobInput): Promise<void>
  /** Answers whether other jobs still render segments that this one needs. */
  areAwaited(job: RenderJobInput & { readonly segments: readonly string[] }): Promise<boolean>
  /** Queues the assembly of the film. */
  assemble(job: RenderJobInput): Promise<Next>
  /** Ends the job and starts the next ones of its bulk; says whether the bulk is finished. */
  settle(job: RenderJobInput & { readonly end: JobEnd }): Promise<Settled>
}

/** Names of activities are frozen in workflow histories: the stage `prepareInputs` is known there as `gather`. */
export type RegisteredStages = Omit<Stages, 'prepareInputs'> & {
  readonly gather: Stages['prepareInputs']
}
