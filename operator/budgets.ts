import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import {
  type BudgetView,
  listBudgets,
  removeBudget,
  setBudget,
} from '../store/db/budgets/budgets.ts'
import type { Db } from '../store/db/database.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { IdOrName, Time } from './schemas.ts'

const params = Type.Object({ account: IdOrName })
const most = 1_000_000_000_000

const Budget = Type.Object({
  accountId: Type.String({ format: 'uuid' }),
  account: Type.String(),
  credits: Type.Integer({ description: 'Credits of a calendar month, UTC' }),
  stops: Type.Boolean({ description: 'New jobs are refused once it is spent' }),
  spent: Type.Integer({ description: 'Charged this month, and held for open jobs' }),
  madeBy: Type.String(),
  createdAt: Time,
})

export const listBudgetsOperation = read({
  ...{ id: 'operatorListBudgets', path: '/budgets', role: 'viewer' },
  summary: 'List monthly budgets, those with the largest spent share first',
  answer: Type.Object({ budgets: Type.Array(Budget) }),
  run: async ({ db }) => ({ budgets: await listBudgets(db) }),
})

export const setBudgetOperation = change({
  ...{ id: 'operatorSetBudget', path: '/accounts/:account/budget', role: 'admin' },
  summary: 'Tell receivers when an account has spent 50, 80 and 100 % of a monthly budget',
  params,
  body: Type.Object({
    credits: Type.Integer({ minimum: 1, maximum: most }),
    stops: Type.Optional(
      Type.Boolean({
        description: 'Refuse new jobs once it is spent, until the month’s end',
      }),
    ),
  }),
  answer: Budget,
  async run({ db }, { account, credits, stops = false, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const what = `budgets set ${credits}${stops ? ' --stop' : ''}`
    const budget = { accountId, credits, stops, madeBy: actor }
    await act(db, { what, subject: accountId, why, actor }, (tx) => setBudget(tx, budget))
    return await requireBudget(db, accountId)
  },
})

export const removeBudgetOperation = change({
  ...{ id: 'operatorRemoveBudget', path: '/accounts/:account/budget/remove', role: 'admin' },
  summary: 'End the budget of an account, which takes new jobs again at once',
  ...{ params, answer: Budget },
  async run({ db }, { account, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const budget = await requireBudget(db, accountId)
    const done = { what: 'budgets remove', subject: accountId, why, actor }
    await act(db, done, (tx) => removeBudget(tx, accountId))
    return budget
  },
})

/** @throws FarmError when the account has none */
async function requireBudget(db: Db, accountId: string): Promise<BudgetView> {
  const [budget] = await listBudgets(db, { accountId })
  if (budget) return budget
  throw new FarmError('not_found', `The account must have a budget. Got ${accountId} without one`)
}
