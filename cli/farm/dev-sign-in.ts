import { randomBytes } from 'node:crypto'
import { hashPassword } from '../../api/account/password.ts'
import { createLog } from '../../runtime/log.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { hashKey } from '../../store/db/accounts/create-key.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import { findKey } from '../../store/db/accounts/find-key.ts'
import { listUsers } from '../../store/db/accounts/list-users.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { createOperator } from '../../store/db/operators/create-operator.ts'
import { listOperators } from '../../store/db/operators/list-operators.ts'
import { addOperatorCode } from '../../store/db/operators/operator-sign-in-codes.ts'
import { addSignInCode } from '../../store/db/sessions/sign-in-codes.ts'

/** 128 bits: valid once, for ten minutes. */
const codeBytes = 16

/**
 * Makes an address at which a browser on this machine is signed in once, as the user of the key's
 * account and as an operator of the farm. The code is in the fragment, which reaches no log and no other site.
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
    const kept = { code: sha256Bytes(code) }
    await addSignInCode(db, { ...kept, accountId, userId })
    await addOperatorCode(db, { ...kept, operatorId: await operatorOf(db) })
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
    password: await unknownPassword(),
    firstName: 'farm',
    lastName: 'dev',
  })
  if (!made) throw new Error('The user of farm dev must have an email of its own')
  return made.id
}

/** The operator of farm dev, made at its first start; `farm operators reset-password` gives a password. */
async function operatorOf(db: Db): Promise<string> {
  const email = 'dev@localhost'
  const [known] = await listOperators(db, { email })
  if (known) return known.id
  const password = await unknownPassword()
  const made = await createOperator(db, { email, password, role: 'admin', madeBy: 'farm dev' })
  if (!made) throw new Error('The operator of farm dev must be new')
  return made.id
}

async function unknownPassword(): Promise<string> {
  return await hashPassword(randomBytes(32).toString('hex'))
}
