import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { hashPassword, isPassword } from '../../api/account/password.ts'
import { createLog } from '../../runtime/log.ts'
import { readOperatorListener, readOperatorPages } from '../../runtime/operators.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { hashKey } from '../../store/db/accounts/create-key.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import { findKey } from '../../store/db/accounts/find-key.ts'
import { listUsers } from '../../store/db/accounts/list-users.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { changeOperator } from '../../store/db/operators/change-operator.ts'
import { createOperator } from '../../store/db/operators/create-operator.ts'
import { findOperator } from '../../store/db/operators/find-operator.ts'
import { listOperators } from '../../store/db/operators/list-operators.ts'
import { addOperatorCode } from '../../store/db/operators/operator-sign-in-codes.ts'
import { addSignInCode } from '../../store/db/sessions/sign-in-codes.ts'
import { storedSecret } from './data-folder.ts'

/** 128 bits: valid once, for ten minutes. */
const codeBytes = 16

const operatorEmail = 'dev@localhost'
/** File of the data folder with the operator's password. */
const passwordFile = 'operator-password'

/** Ways into a farm's pages. Codes in addresses are fragments, which reach no log and no other site. */
export type SignIns = {
  /** Signs a browser on this machine in once, as the user of the key's account. */
  readonly dashboardUrl: string
  /** Undefined: the farm serves no operators, or this one is disabled. */
  readonly operator: OperatorSignIn | undefined
}

export type OperatorSignIn = {
  /** Address of the operators' pages; where they have a listener of their own, it signs in once. */
  readonly url: string
  readonly email: string
  /** Only its owner reads it. */
  readonly passwordFile: string
}

/** Makes the ways in. The code in the address of the dashboard signs its operator in, too. */
export async function makeSignIns({
  url,
  apiKey,
  databaseUrl,
  dataDir,
}: {
  url: string
  apiKey: string
  databaseUrl: string
  dataDir: string
}): Promise<SignIns> {
  const db = openDatabase({ url: databaseUrl, log: createLog('dev'), connections: 1 })
  try {
    const holder = await findKey(db, hashKey(apiKey))
    if (!holder) throw new Error('The key of farm dev must be valid')
    const { accountId } = holder
    const userId = await userOf(db, accountId)
    const code = newCode()
    await addSignInCode(db, { code: sha256Bytes(code), accountId, userId })
    const operator = await operatorSignIn(db, { url, code, dataDir })
    return { dashboardUrl: `${url}/#sign-in=${code}`, operator }
  } finally {
    await db.destroy()
  }
}

const newCode = () => randomBytes(codeBytes).toString('hex')

async function operatorSignIn(
  db: Db,
  { url, code, dataDir }: { url: string; code: string; dataDir: string },
): Promise<OperatorSignIn | undefined> {
  const env = { FARM_OPERATOR_API: 'on', ...process.env }
  const listener = readOperatorListener(env)
  if (listener === 'off') return undefined
  const operatorId = await operatorOf(db, storedSecret(dataDir, passwordFile))
  if (operatorId === undefined) return undefined
  const isOwn = listener !== 'on'
  const ownCode = isOwn ? newCode() : code
  await addOperatorCode(db, { code: sha256Bytes(ownCode), operatorId })
  return {
    url: `${readOperatorPages(env, url)}/farm${isOwn ? `#sign-in=${ownCode}` : ''}`,
    email: operatorEmail,
    passwordFile: join(dataDir, passwordFile),
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

/**
 * The operator of farm dev, made at its first start. Its password is always that of the data folder.
 * Undefined: somebody disabled it.
 */
async function operatorOf(db: Db, password: string): Promise<string | undefined> {
  const known = await findOperator(db, operatorEmail)
  if (known) {
    const { id: operatorId } = known
    if (await isPassword(password, known.password)) return operatorId
    await changeOperator(db, { operatorId, password: await hashPassword(password) })
    return operatorId
  }
  if ((await listOperators(db, { email: operatorEmail })).length > 0) return undefined
  const made = await createOperator(db, {
    ...{ email: operatorEmail, role: 'admin', madeBy: 'farm dev' },
    password: await hashPassword(password),
  })
  if (!made) throw new Error('The operator of farm dev must be new')
  return made.id
}

async function unknownPassword(): Promise<string> {
  return await hashPassword(randomBytes(32).toString('hex'))
}
