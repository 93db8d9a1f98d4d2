import { sql } from 'kysely'
import type { Db } from '../database.ts'

const codeMinutes = 10

/** Keeps a code (its sha256) that signs an operator in once, and removes expired ones. */
export async function addOperatorCode(
  db: Db,
  { code, operatorId }: { code: Buffer; operatorId: string },
): Promise<void> {
  await sql`
    with old as (delete from operator_sign_in_codes where expires_at < now())
    insert into operator_sign_in_codes (sha256, operator_id, expires_at)
    values (${code}, ${operatorId}, now() + make_interval(mins => ${codeMinutes}))`.execute(db)
}

/** Takes a code, which is then gone. Undefined: it is unknown, used or expired. */
export async function takeOperatorCode(db: Db, code: Buffer): Promise<string | undefined> {
  const { rows } = await sql<{ operatorId: string; isValid: boolean }>`
    delete from operator_sign_in_codes c using operators o
    where c.sha256 = ${code} and o.id = c.operator_id
    returning o.id as "operatorId",
      c.expires_at > now() and o.disabled_at is null as "isValid"`.execute(db)
  const [taken] = rows
  return taken?.isValid ? taken.operatorId : undefined
}
