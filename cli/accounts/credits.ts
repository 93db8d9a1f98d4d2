import { getAccountOperation } from '../../operator/accounts.ts'
import {
  correctCreditsOperation,
  grantCreditsOperation,
  listCreditsOperation,
} from '../../operator/credits.ts'
import type { AccountView } from '../../store/db/accounts/get-account.ts'
import type { ActOptions } from '../fleet/act.ts'
import { answerOne, answerRows, operateFarm } from './operate.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }
type Change = OfAccount & ActOptions & { credits: number; note: string }

export async function giveCredits({ json, by, ...input }: Change): Promise<void> {
  await operateFarm({ json, ...(by && { by }) }, async (farm) =>
    balanceOf(await farm.run(grantCreditsOperation, input)),
  )
}

/** Changes the balance by `credits`, which may be negative. */
export async function changeCredits({ json, by, ...input }: Change): Promise<void> {
  await operateFarm({ json, ...(by && { by }) }, async (farm) =>
    balanceOf(await farm.run(correctCreditsOperation, input)),
  )
}

export async function showBalance({ account, json }: OfAccount): Promise<void> {
  await operateFarm({ json }, async (farm) =>
    balanceOf(await farm.run(getAccountOperation, { account })),
  )
}

export async function showHistory({
  json,
  ...asked
}: OfAccount & { limit: number }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { entries } = await farm.run(listCreditsOperation, asked)
    return answerRows(
      entries.map(({ id, createdAt, kind, balanceChange, reservedChange, balance, ...entry }) => ({
        ...{ id, at: createdAt, kind, balance: balanceChange, reserved: reservedChange },
        ...{ after: balance, job: entry.jobId, note: entry.note },
      })),
    )
  })
}

function balanceOf({ creditsBalance: balance, creditsReserved: reserved }: AccountView) {
  return answerOne({ balance, reserved, available: balance - reserved })
}
