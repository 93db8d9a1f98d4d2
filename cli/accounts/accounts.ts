import { isPlanName, type PlanName, planNames } from '../../core/accounts/plans.ts'
import {
  closeAccountOperation,
  createAccountOperation,
  getAccountOperation,
  listAccountsOperation,
  resumeAccountOperation,
  setPlanOperation,
  suspendAccountOperation,
} from '../../operator/accounts.ts'
import type { AccountView } from '../../store/db/accounts/get-account.ts'
import { usage } from '../failure.ts'
import type { ActOptions } from '../fleet/act.ts'
import { answerOne, answerRows, operateFarm } from './operate.ts'
import type { TableRow } from './table.ts'

type Json = { readonly json?: boolean }

export async function addAccount({
  name,
  plan,
  why,
  ...options
}: { name: string; plan: string } & ActOptions): Promise<void> {
  const known = readPlan(plan)
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(createAccountOperation, { name, plan: known, why }))),
  )
}

export async function showAccounts({ json }: Json): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { accounts } = await farm.run(listAccountsOperation, {})
    return answerRows(accounts.map(rowOf))
  })
}

export async function showAccount({ account, json }: { account: string } & Json): Promise<void> {
  await operateFarm({ json }, async (farm) =>
    answerOne(rowOf(await farm.run(getAccountOperation, { account }))),
  )
}

export async function changePlan({
  account,
  plan,
  why,
  ...options
}: { account: string; plan: string } & ActOptions): Promise<void> {
  const known = readPlan(plan)
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(setPlanOperation, { account, plan: known, why }))),
  )
}

const changes = {
  suspend: suspendAccountOperation,
  resume: resumeAccountOperation,
  close: closeAccountOperation,
} as const

export async function changeAccount(
  change: keyof typeof changes,
  { account, why, ...options }: { account: string } & ActOptions,
): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(changes[change], { account, why }))),
  )
}

function readPlan(plan: string): PlanName {
  if (isPlanName(plan)) return plan
  throw usage(`The plan must be one of ${planNames.join(', ')}. Got ${plan}`)
}

function rowOf(account: AccountView): TableRow {
  const { id, name, plan, creditsBalance, creditsReserved, createdAt, suspendedAt } = account
  return {
    ...{ id, name, plan, credits: creditsBalance, reserved: creditsReserved, created: createdAt },
    ...{ suspended: suspendedAt, closed: account.closedAt },
  }
}
