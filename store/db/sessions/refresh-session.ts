import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { endOperatorSession } from '../operators/end-operator-session.ts'
import { endSession } from './end-session.ts'

/** Seconds in which a used token is answered with the one that followed it. */
const graceSeconds = 10

export type Refreshed =
  /** The token was unused, and the next one has replaced it. */
  | { readonly outcome: 'replaced'; readonly sessionId: string }
  /** It is the newest of its session; it stays so. */
  | { readonly outcome: 'newest'; readonly sessionId: string }
  /** It was used a moment ago by the same user agent. `successor`: sealed under it. */
  | { readonly outcome: 'repeated'; readonly sessionId: string; readonly successor: string }

/** Sessions of users, who belong to an account, and of operators, who do not. */
export type SessionKind = 'user' | 'operator'

/** `kept`: columns that the next token has from the one before it. */
const tables = {
  user: {
    sessions: sql.table('sessions'),
    tokens: sql.table('refresh_tokens'),
    kept: sql.raw('account_id, session_id'),
    end: endSession,
  },
  operator: {
    sessions: sql.table('operator_sessions'),
    tokens: sql.table('operator_refresh_tokens'),
    kept: sql.raw('session_id'),
    end: endOperatorSession,
  },
} as const

type Row = {
  readonly id: string
  readonly isUsed: boolean
  readonly isRepeated: boolean
  readonly successor: string | null
}

/**
 * Replaces a refresh token (its sha256) by the next one; without a `next` it only looks. Tabs race, and
 * answers are lost: for a moment the same token from the same user agent is answered again. Later it is
 * in two hands, one of them a stranger's, and its session ends for both.
 * @returns undefined when the token is not accepted (any more).
 */
export async function refreshSession(
  db: Db,
  {
    token,
    userAgent,
    next,
    of = 'user',
  }: {
    token: Buffer
    userAgent: string
    /** Its sha256, and the token itself, sealed under the replaced one. */
    next?: { readonly sha256: Buffer; readonly sealed: string }
    of?: SessionKind
  },
): Promise<Refreshed | undefined> {
  const { sessions, tokens, kept, end } = tables[of]
  return await db.transaction().execute(async (tx) => {
    const { rows } = await sql<Row>`
      select s.id, t.used_at is not null as "isUsed", t.successor,
        coalesce(t.used_by = ${userAgent}
          and t.used_at > clock_timestamp() - make_interval(secs => ${graceSeconds}), false)
          as "isRepeated"
      from ${tokens} t join ${sessions} s on s.id = t.session_id
      where t.sha256 = ${token} and s.ended_at is null and s.expires_at > now()
      for update of t, s`.execute(tx)
    const [found] = rows
    if (!found) return undefined
    const { id: sessionId, successor } = found
    if (!found.isUsed && !next) return { outcome: 'newest', sessionId }
    if (found.isUsed) {
      if (found.isRepeated && successor) return { outcome: 'repeated', sessionId, successor }
      await end(tx, { sessionId, reason: 'a refresh token was used twice' })
      return undefined
    }
    await sql`
      with used as (
        update ${tokens}
        set used_at = clock_timestamp(), used_by = ${userAgent}, successor = ${next?.sealed}
        where sha256 = ${token}
        returning ${kept}
      ), seen as (
        update ${sessions} set last_used_at = now() where id = ${sessionId}
      )
      insert into ${tokens} (sha256, ${kept}) select ${next?.sha256}, ${kept} from used`.execute(tx)
    return { outcome: 'replaced', sessionId }
  })
}
