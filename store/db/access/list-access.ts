import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

export type AccessView = {
  readonly id: number
  readonly at: Date
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly address: string | null
  readonly accountId: string | null
  readonly account: string | null
  readonly key: string | null
  readonly user: string | null
  readonly agent: string | null
  readonly operator: string | null
  readonly tool: string | null
  readonly made: string | null
  readonly aborted: boolean
}

/** Length of a key's visible prefix. */
const shownLength = 12

/** Filters of requests; an absent one matches any. */
export type AccessFilter = {
  readonly requestId?: string
  readonly accountId?: string
  /** First characters of a key. */
  readonly key?: string
  /** A part of the path, in any case of its letters, or the id of what the request made. */
  readonly path?: string
  readonly method?: string
  /** Lowest and highest status. */
  readonly status?: readonly [number, number]
  /** An address, or a range of them in CIDR notation. */
  readonly address?: string
  readonly since?: Date
  readonly until?: Date
}

/** Place after a record in the list. `at`: milliseconds since 1970. */
export type AccessPlace = { readonly at: number; readonly id: number }

/**
 * Lists requests of the whole farm, the latest first; with `after` those that follow it. A filter by
 * method or path alone reads every request of its time.
 */
export async function listAccess(
  db: Db,
  { limit, after, ...filter }: AccessFilter & { limit: number; after?: AccessPlace },
): Promise<readonly AccessView[]> {
  const { rows } = await sql<AccessView>`
    with found as materialized (
      select * from access_log l
      where ${sql.join([following(after), ...conditionsOf(filter)], sql` and `)}
      order by l.at desc, l.id desc limit ${sql.lit(limit)}
    )
    select l.id, l.at, l.request_id as "requestId", l.method, l.path, l.status, l.ms, l.bytes,
      host(l.remote) as address, l.account as "accountId", a.name as account, l.key_prefix as key,
      coalesce(u.email, l.user_id::text) as "user", coalesce(g.client_name, l.agent_id::text) as agent,
      coalesce(o.email, l.operator_id::text) as operator, l.tool, l.made, l.aborted
    from found l
    left join accounts a on a.id = l.account
    left join users u on u.id = l.user_id
    left join agent_grants g on g.id = l.agent_id
    left join operators o on o.id = l.operator_id
    order by l.at desc, l.id desc`.execute(db)
  return rows
}

function following(after: AccessPlace | undefined) {
  if (after === undefined) return sql`true`
  return sql`(l.at, l.id) < (${new Date(after.at)}, ${after.id})`
}

function conditionsOf(filter: AccessFilter): RawBuilder<unknown>[] {
  const { requestId, accountId, key, path, method, status, address, since, until } = filter
  return [
    requestId !== undefined && sql`l.request_id = ${requestId}`,
    accountId !== undefined && sql`l.account = ${accountId}`,
    key !== undefined && ofKey(key),
    path !== undefined && sql`(strpos(lower(l.path), lower(${path})) > 0 or l.made = ${path})`,
    method !== undefined && sql`l.method = ${method}`,
    status !== undefined && ofStatus(status),
    address !== undefined && ofAddress(address),
    since !== undefined && sql`l.at >= ${since}`,
    until !== undefined && sql`l.at < ${until}`,
  ].filter((condition) => condition !== false)
}

/** Compares by a range, as a generic plan uses no index for a pattern. Hex digits end before g. */
function ofKey(start: string) {
  if (start.length === shownLength) return sql`l.key_prefix = ${start}`
  return sql`l.key_prefix >= ${start} and l.key_prefix < ${`${start}g`}`
}

function ofAddress(address: string) {
  if (!address.includes('/')) return sql`l.remote = ${address}::inet`
  return sql`l.remote between host(network(${address}::inet))::inet
    and host(broadcast(${address}::inet))::inet`
}

/** Says that failures are failures, so that their index is used. */
function ofStatus([lowest, highest]: readonly [number, number]) {
  const isFailure = lowest >= 400 ? sql`and l.status >= 400` : sql``
  return sql`l.status between ${lowest} and ${highest} ${isFailure}`
}
