import type { Finding } from './findings.ts'

/** Shares of a budget whose crossing is told, per cent. */
const budgetSteps = [50, 80, 100] as const

type Budget = {
  readonly accountId: string
  readonly account: string
  readonly credits: number
  readonly spent: number
  readonly stops: boolean
}

/** Finds the steps that each budget has crossed this month; each is an alert until the month's end. */
export function findSpentBudgets(budgets: readonly Budget[]): readonly Finding[] {
  return budgets.flatMap(({ accountId, account, credits, spent, stops }) =>
    budgetSteps
      .filter((step) => spent * 100 >= credits * step)
      .map((step): Finding => {
        const after = step === 100 && stops ? '; new jobs are refused' : ''
        const words = `Account ${account} has spent ${step} % of its ${credits} credits for this month`
        return { alert: 'FarmBudget', where: `${accountId} ${step}`, words: words + after }
      }),
  )
}
