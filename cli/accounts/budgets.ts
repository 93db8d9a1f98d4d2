import {
  listBudgetsOperation,
  removeBudgetOperation,
  setBudgetOperation,
} from '../../operator/budgets.ts'
import type { BudgetView } from '../../store/db/budgets/budgets.ts'
import type { ActOptions } from '../fleet/act.ts'
import { answerOne, answerRows, operateFarm } from './operate.ts'
import type { TableRow } from './table.ts'

type OfAccount = ActOptions & { readonly account: string }

/** `farm budgets` */
export async function showBudgets({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { budgets } = await farm.run(listBudgetsOperation, {})
    return answerRows(budgets.map(rowOf))
  })
}

/** `farm budgets set ACCOUNT CREDITS` */
export async function setBudget({
  account,
  credits,
  stop: stops = false,
  why,
  ...options
}: OfAccount & { readonly credits: number; readonly stop?: boolean }): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(setBudgetOperation, { account, credits, stops, why }))),
  )
}

/** `farm budgets remove ACCOUNT` */
export async function removeBudget({ account, why, ...options }: OfAccount): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(removeBudgetOperation, { account, why }))),
  )
}

function rowOf({
  accountId: id,
  account,
  credits,
  spent,
  stops,
  madeBy: by,
}: BudgetView): TableRow {
  const share = `${Math.floor((spent * 100) / credits)} %`
  return { id, account, credits, spent, share, atEnd: stops ? 'stop' : 'tell', by }
}
