import { sql } from 'kysely'
import type { Db } from '../database.ts'

const codeMinutes = 10

/** Keeps a code (its sha256) that signs a user in once, and removes expired ones. */
export async function addSignInCode(
  db: Db,
  { code, accountId, userId }: { code: Buffer; accountId: string; userId: string },
): Promise<void> {
  await sql`
    with old as (delete from sign_in_codes where expires_at < now())
    insert into sign_in_codes (sha256, account_id, user_id, expires_at)
    values (${code}, ${accountId}, ${userId}, now() + make_interval(mins => ${codeMinutes}))
  `.execute(db)
}

/** Takes a code, which is then gone. Undefined: it is unknown, used or expired. */
export async function takeSignInCode(
  db: Db,
  code: Buffer,
): Promise<{ readonly userId: string; readonly accountId: string } | undefined> {
  const { rows } = await sql<{ userId: string; accountId: string; isValid: boolean }>`
    delete from sign_in_codes where sha256 = ${code}
    returning user_id as "userId", account_id as "accountId", expires_at > now() as "isValid"
  `.execute(db)
  const [taken] = rows
  return taken?.isValid ? { userId: taken.userId, accountId: taken.accountId } : undefined
}
