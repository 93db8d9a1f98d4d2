import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Creates a canary for a quarantined node, one at a time, `pauseMs` after its quarantine began or
 * its last one ended. It counts as failed until it is passed, so a node that dies of it waits
 * longer.
 * @returns its id, or undefined when it is not due.
 */
export async function giveCanary(
  db: Db,
  { nodeId, pauseMs, answerWithinMs }: { nodeId: string; pauseMs: number; answerWithinMs: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update nodes set canary_id = gen_random_uuid(), canaries_failed = canaries_failed + 1,
      canary_until = now() + make_interval(secs => ${answerWithinMs / 1000})
    where id = ${nodeId} and state = 'quarantined'
      and coalesce(canary_until, state_since) < now() - make_interval(secs => ${pauseMs / 1000})
    returning canary_id as id`.execute(db)
  return rows[0]?.id
}
