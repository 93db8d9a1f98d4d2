import { randomBytes } from 'node:crypto'
import { hashPassword } from '../../api/account/password.ts'
import { createLog } from '../../runtime/log.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { hashKey } from '../../store/db/accounts/create-key.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import { findKey } from '../../store/db/accounts/find-key.ts'
import { listUsers } from '../../store/db/accounts/list-users.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { addSignInCode } from '../../store/db/sessions/sign-in-codes.ts'

/** 128 bits: valid once, for ten minutes. */
const codeBytes = 16

/**
 * Makes an address at which a browser on this machine is signed in once, as the user of the key's
 * account. The code is in the fragment, which reaches no log and no other site.
 */
export async function makeDashboardUrl({
  url,
  apiKey,
  databaseUrl,
}: {
  url: string
  apiKey: string
  databaseUrl: string
}): Promise<string> {
  const db = openDatabase({ url: databaseUrl, log: createLog('dev'), connections: 1 })
  try {
    const holder = await findKey(db, hashKey(apiKey))
    if (!holder) throw new Error('The key of farm dev must be valid')
    const { accountId } = holder
    const userId = await userOf(db, accountId)
    const code = randomBytes(codeBytes).toString('hex')
    await addSignInCode(db, { code: sha256Bytes(code), accountId, userId })
    return `${url}/#sign-in=${code}`
  } finally {
    await db.destroy()
  }
}

/** The account's oldest user; one is made where there is none, with a password that nobody knows. */
async function userOf(db: Db, accountId: string): Promise<string> {
  const [owner] = await listUsers(db, accountId)
  if (owner) return owner.id
  const made = await createUser(db, {
    accountId,
    email: `dev-${accountId}@localhost`,
    password: await hashPassword(randomBytes(32).toString('hex')),
    firstName: 'farm',
    lastName: 'dev',
  })
  if (!made) throw new Error('The user of farm dev must have an email of its own')
  return made.id
}
