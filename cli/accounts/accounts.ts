import { isPlanName, type PlanName, planNames } from '../../core/accounts/plans.ts'
import { createAccount } from '../../store/db/accounts/create-account.ts'
import type { AccountView } from '../../store/db/accounts/get-account.ts'
import { listAccounts } from '../../store/db/accounts/list-accounts.ts'
import { setPlan } from '../../store/db/accounts/set-plan.ts'
import { suspendAccount } from '../../store/db/accounts/suspend-account.ts'
import { Failure, usage } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'
import { answerOne, answerRows, operate, requireAccount } from './operate.ts'
import type { TableRow } from './table.ts'

type Json = { readonly json?: boolean }

export async function addAccount({
  name,
  plan,
  json,
  ...options
}: { name: string; plan: string } & ActOptions): Promise<void> {
  const known = readPlan(plan)
  await operate(json, async (db) => {
    const what = `accounts create ${name}`
    const done = { what, subject: ({ id }: { id: string }) => id, ...options }
    const { id } = await act(db, done, (tx) => createAccount(tx, { name, plan: known }))
    return answerOne(rowOf(await requireAccount(db, id)))
  })
}

export async function showAccounts({ json }: Json): Promise<void> {
  await operate(json, async (db) => answerRows((await listAccounts(db)).map(rowOf)))
}

export async function showAccount({ account, json }: { account: string } & Json): Promise<void> {
  await operate(json, async (db) => answerOne(rowOf(await requireAccount(db, account))))
}

export async function changePlan({
  account,
  plan,
  json,
  ...options
}: { account: string; plan: string } & ActOptions): Promise<void> {
  const known = readPlan(plan)
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `accounts set-plan ${known}`, subject: accountId, ...options }
    await act(db, done, (tx) => setPlan(tx, { accountId, plan: known }))
    return answerOne(rowOf(await requireAccount(db, accountId)))
  })
}

/** `farm accounts suspend|resume ACCOUNT`. @throws Failure where it is so already */
export async function suspend(
  isSuspended: boolean,
  { account, json, ...options }: { account: string } & ActOptions,
): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const name = isSuspended ? 'suspend' : 'resume'
    const done = { what: `accounts ${name}`, subject: accountId, ...options }
    await act(db, done, async (tx) => {
      if (await suspendAccount(tx, { accountId, isSuspended })) return
      const [rule, seen] = isSuspended ? ['not be', 'is'] : ['be', 'is not']
      throw new Failure(`An account to ${name} must ${rule} suspended. Got one that ${seen}`)
    })
    return answerOne(rowOf(await requireAccount(db, accountId)))
  })
}

function readPlan(plan: string): PlanName {
  if (isPlanName(plan)) return plan
  throw usage(`The plan must be one of ${planNames.join(', ')}. Got ${plan}`)
}

function rowOf(account: AccountView): TableRow {
  const { id, name, plan, creditsBalance, creditsReserved, createdAt, suspendedAt } = account
  return {
    ...{ id, name, plan, credits: creditsBalance, reserved: creditsReserved, created: createdAt },
    suspended: suspendedAt,
  }
}
