import { maxAttempts } from './schedule.ts'

/** A delivery and the state of its receiver. */
export type PendingDelivery = {
  readonly status: string
  readonly attempts: readonly unknown[]
  /** ISO 8601. */
  readonly nextAttemptAt: string | null
  readonly isOpen: boolean
  /** Deliveries to the same receiver that failed and wait for their next attempt. */
  readonly sleeping: number
}

/** Returns what a delivery waits for; undefined when it has ended, or is about to be sent. */
export function explainPending(delivery: PendingDelivery): string | undefined {
  const { status, attempts, nextAttemptAt, isOpen, sleeping } = delivery
  if (status !== 'pending') return undefined
  if (attempts.length > 0) {
    return `Attempt ${attempts.length} of ${maxAttempts} failed; the next attempt follows at ${nextAttemptAt} or later.`
  }
  if (isOpen || sleeping === 0) return undefined
  return `${sleeping} earlier deliveries to the same receiver failed and wait for their next attempts. While they are too many, this delivery waits for them to end.`
}
