import { FarmError } from '../core/errors.ts'
import { findAccounts } from '../store/db/accounts/find-accounts.ts'
import type { AccountView } from '../store/db/accounts/get-account.ts'
import type { Db } from '../store/db/database.ts'
import { listNodes, type NodeView } from '../store/db/fleet/list-nodes.ts'
import { type FarmJob, listFarmJobs } from '../store/db/jobs/list-farm-jobs.ts'

/**
 * Finds the account of an id or a name. @throws FarmError when there is no such account, or several
 * have the name
 */
export async function requireAccount(db: Db, idOrName: string): Promise<AccountView> {
  const [account, second] = await findAccounts(db, idOrName)
  if (account && !second) return account
  const why = second ? 'which several accounts are named: use the id' : 'which does not exist'
  const rule = 'ACCOUNT must be the id or the name of an account'
  throw new FarmError('not_found', `${rule}. Got ${idOrName}, ${why}`)
}

/** @throws FarmError when no node has this id or name, or several have the name */
export async function requireNode(db: Db, node: string): Promise<NodeView> {
  const [found, second] = await listNodes(db, { seenWithinMs: 0, node })
  if (found && !second) return found
  const why = second ? 'which several nodes are named' : 'which does not exist'
  const rule = 'NODE must be the id or the name of one node'
  throw new FarmError('not_found', `${rule}. Got ${node}, ${why}`)
}

/** @throws FarmError when there is no such job */
export async function requireJob(db: Db, id: string): Promise<FarmJob> {
  const [job] = await listFarmJobs(db, { id, limit: 1 })
  if (job) return job
  throw new FarmError('not_found', `JOB must be the id of a job. Got ${id}, which does not exist`)
}
