import type { Stages } from './activities/activities.ts'

/** One step of one job. */
export type Step = {
  readonly [Name in keyof Stages]: {
    readonly stage: Name
    readonly of: Parameters<Stages[Name]>[0]
  }
}[keyof Stages]

/** `failure`: what the stage would have failed with for good. `again`: it may pass, and is to be tried again. */
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
 * `ends`: of each step, by its job, which has one at a time. `endsBulk`: nothing of their bulk is left to do.
 * `isTooLarge`: they are more than the history may have, and left out: each is to be asked for again, among fewer.
 */
export type Round = {
  readonly ends: Readonly<Record<string, StepEnd>>
  readonly endsBulk: boolean
  readonly isTooLarge?: true
}
