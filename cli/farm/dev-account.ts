import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { largestPlan } from '../../core/accounts/plans.ts'
import { createLog } from '../../runtime/log.ts'
import { createAccount } from '../../store/db/accounts/create-account.ts'
import { createKey, hashKey } from '../../store/db/accounts/create-key.ts'
import { findKey } from '../../store/db/accounts/find-key.ts'
import { getAccount } from '../../store/db/accounts/get-account.ts'
import { grantCredits } from '../../store/db/accounts/grant-credits.ts'
import { openDatabase } from '../../store/db/database.ts'
import { migrate } from '../../store/db/migrate.ts'
import { writeSecret } from './data-folder.ts'

const credits = 1_000_000_000

/**
 * Migrates the database and returns a key of an account with the largest plan and credits for
 * years. The key is stored in the data folder, so it is the same at the next start.
 */
export async function prepareAccount(databaseUrl: string, dataDir: string): Promise<string> {
  const db = openDatabase({ url: databaseUrl, log: createLog('dev'), connections: 1 })
  const file = join(dataDir, 'api-key')
  try {
    await migrate(db)
    const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
    const holder = await findKey(db, hashKey(known))
    const accountId =
      holder?.accountId ?? (await createAccount(db, { name: 'farm dev', plan: largestPlan })).id
    const account = await getAccount(db, accountId)
    const missing = credits - (account?.creditsBalance ?? 0)
    if (missing > credits / 2) await grantCredits(db, { accountId, credits: missing, note: 'dev' })
    if (holder) return known
    const { key } = await createKey(db, { accountId, name: 'farm dev' })
    writeSecret(file, key)
    return key
  } finally {
    await db.destroy()
  }
}
