import type { Stages } from '../stages/stage-types.ts'

/** One step of one job. */
export type Step = {
  readonly [Name in keyof Stages]: {
    readonly stage: Name
    readonly of: Parameters<Stages[Name]>[0]
  }
}[keyof Stages]

/** `failure`: the stage's permanent failure. `again`: a transient one, to be retried. */
export type StepEnd =
  | { readonly answer: unknown }
  | { readonly failure: StepFailure }
  | { readonly again: true }

export type StepFailure = {
  readonly type: string
  readonly message: string
  readonly details: unknown[]
}

/**
 * `ends`: result of each step, by its job, which has one at a time. `endsBulk`: nothing is left to
 * do for the bulk. `isTooLarge`: the results exceed the history's limit and are left out; each step
 * is retried in a smaller batch.
 */
export type StepBatchResult = {
  readonly ends: Readonly<Record<string, StepEnd>>
  readonly endsBulk: boolean
  readonly isTooLarge?: true
}
