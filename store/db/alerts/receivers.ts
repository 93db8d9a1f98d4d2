import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { NoticeAddress, NoticeForm } from '../../../core/alerts/notice.ts'
import { type SealKeys, sealBytes, unsealBytes } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'

/** Sealed with a receiver: all of it lets strangers send as the farm. */
export type ReceiverSecrets = NoticeAddress & {
  /** Signs notices in our own form; absent for others. */
  readonly secret?: string
}

export type ReceiverView = {
  readonly id: string
  readonly name: string
  readonly form: NoticeForm
  /** Host of the address, without its secret rest. */
  readonly host: string
  readonly onlyPages: boolean
  readonly madeBy: string
  readonly createdAt: Date
  /** Notices that wait to be sent. */
  readonly waiting: number
  readonly lastSentAt: Date | null
  /** Fault of the last try; null: it was taken, or none was made. */
  readonly lastError: string | null
}

/** @returns its id; undefined: the name is taken */
export async function addReceiver(
  db: Db,
  {
    sealKeys,
    secrets,
    ...receiver
  }: {
    readonly sealKeys: SealKeys
    readonly name: string
    readonly form: NoticeForm
    readonly secrets: ReceiverSecrets
    readonly onlyPages: boolean
    readonly madeBy: string
  },
): Promise<string | undefined> {
  const id = randomUUID()
  const { name, form, onlyPages, madeBy } = receiver
  const { sealed, keyId } = sealBytes(sealKeys, Buffer.from(JSON.stringify(secrets)), about(id))
  const { rows } = await sql<{ id: string }>`
    insert into notice_receivers (id, name, form, host, sealed, seal_key, only_pages, made_by)
    values (${id}, ${name}, ${form}, ${new URL(secrets.url).host}, ${sealed}, ${keyId},
      ${onlyPages}, ${madeBy})
    on conflict (name) do nothing returning id`.execute(db)
  return rows[0]?.id
}

/** Lists receivers by name; or the one of this id or name. */
export async function listReceivers(
  db: Db,
  { only }: { readonly only?: string } = {},
): Promise<readonly ReceiverView[]> {
  const { rows } = await sql<ReceiverView>`
    select r.id, r.name, r.form, r.host, r.only_pages as "onlyPages", r.made_by as "madeBy",
      r.created_at as "createdAt",
      (select count(*) from notices n where n.receiver_id = r.id and n.next_at is not null)
        as waiting,
      (select max(sent_at) from notices n where n.receiver_id = r.id) as "lastSentAt",
      (select error from notices n where n.receiver_id = r.id and attempts > 0
        order by coalesce(sent_at, next_at, created_at) desc limit 1) as "lastError"
    from notice_receivers r
    where ${only === undefined ? sql`true` : sql`r.id::text = ${only} or r.name = ${only}`}
    order by r.name`.execute(db)
  return rows
}

export async function removeReceiver(db: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from notice_receivers where id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

/** Opens what `addReceiver` sealed. @throws Error when the key is gone */
export function openReceiver(
  sealKeys: SealKeys,
  { id, sealed, sealKey: keyId }: { id: string; sealed: Buffer; sealKey: string },
): ReceiverSecrets {
  return JSON.parse(unsealBytes(sealKeys, { keyId, sealed }, about(id)).toString())
}

const about = (id: string) => `receiver of notices ${id}`
