import { sql } from 'kysely'
import type { WebhookEvent } from '../../../core/webhooks/envelope.ts'
import type { Db } from '../database.ts'

/** A pending delivery with all that an attempt needs. */
export type DueDelivery = {
  readonly id: string
  readonly event: WebhookEvent
  readonly jobId: string
  /** Ordered by the endpoint's owner: the job in it does not exist. */
  readonly isTest: boolean
  readonly body: string
  readonly failedAttempts: number
  /** 0 = now; else the time until it is due. */
  readonly waitMs: number
  /** Seconds since it was due; 0 when it is too early. */
  readonly lateSeconds: number
  readonly url: string
  /** Null for the one-off callback of a job, which is not signed. */
  readonly endpoint: {
    readonly id: string
    /** Or was disabled since the delivery was written. */
    readonly isDisabled: boolean
    /** Sealed; those that are valid now, the newest first. */
    readonly secrets: readonly string[]
  } | null
}

/** Finds a pending delivery; undefined when it has ended or is gone. */
export async function getDueDelivery(db: Db, deliveryId: string): Promise<DueDelivery | undefined> {
  const { rows } = await sql<DueDelivery>`
    select d.id, d.event, d.job_id as "jobId", d.test as "isTest", d.body,
      jsonb_array_length(d.attempts) as "failedAttempts",
      greatest(0, ceil(extract(epoch from d.next_attempt_at - now()) * 1000))::integer as "waitMs",
      greatest(0, extract(epoch from now() - coalesce(d.next_attempt_at, d.created_at)))::float8
        as "lateSeconds",
      coalesce(w.url, d.url) as url,
      case when w.id is not null then jsonb_build_object(
        'id', w.id,
        'isDisabled', w.status = 'disabled' or coalesce(d.created_at < w.disabled_at, false),
        'secrets', case when w.previous_secret_until > now()
          then jsonb_build_array(w.secret, w.previous_secret)
          else jsonb_build_array(w.secret) end
      ) end as endpoint
    from webhook_deliveries d left join webhooks w on w.id = d.webhook_id
    where d.id = ${deliveryId} and d.status = 'pending'`.execute(db)
  return rows[0]
}
