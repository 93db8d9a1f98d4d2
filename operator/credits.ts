import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { text } from '../core/project/schema/fields.ts'
import { correctCredits } from '../store/db/accounts/correct-credits.ts'
import { grantCredits } from '../store/db/accounts/grant-credits.ts'
import { listCreditEntries } from '../store/db/accounts/list-credit-entries.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { AccountSchema, IdOrName, limitOf, Nullable, Time } from './schemas.ts'

const params = Type.Object({ account: IdOrName })
const most = 1_000_000_000_000
const usual = 20
const Note = { ...text(500, 1), description: 'The account can read it' }

export const listCreditsOperation = read({
  ...{ id: 'operatorListCredits', path: '/accounts/:account/credits', role: 'viewer' },
  summary: 'List the latest entries of an account’s ledger',
  params,
  query: Type.Object({ limit: limitOf(10_000, usual) }),
  answer: Type.Object({
    entries: Type.Array(
      Type.Object({
        id: Type.Integer(),
        kind: Type.String(),
        jobId: Nullable(Type.String()),
        bulkId: Nullable(Type.String()),
        balanceChange: Type.Integer(),
        reservedChange: Type.Integer(),
        balance: Type.Integer({ description: 'Credits owned after the entry' }),
        note: Type.String(),
        createdAt: Time,
      }),
    ),
  }),
  async run({ db }, { account, limit = usual }) {
    const { id: accountId } = await requireAccount(db, account)
    const { entries } = await listCreditEntries(db, { accountId, page: 1, pageSize: limit })
    return { entries }
  },
})

export const grantCreditsOperation = change({
  ...{ id: 'operatorGrantCredits', path: '/accounts/:account/credits/grant', role: 'admin' },
  summary: 'Add credits to an account',
  params,
  body: Type.Object({ credits: Type.Integer({ minimum: 1, maximum: most }), note: Note }),
  answer: AccountSchema,
  async run({ db }, { account, credits, note, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `credits grant ${credits}`, subject: accountId, why, actor }
    await act(db, done, (tx) => grantCredits(tx, { accountId, credits, note }))
    return await requireAccount(db, accountId)
  },
})

export const correctCreditsOperation = change({
  ...{ id: 'operatorCorrectCredits', path: '/accounts/:account/credits/correct', role: 'admin' },
  summary: 'Change a balance, up or down; credits held for jobs are kept',
  params,
  body: Type.Object({ credits: Type.Integer({ minimum: -most, maximum: most }), note: Note }),
  answer: AccountSchema,
  async run({ db }, { account, credits, note, why }, actor) {
    const { id: accountId, ...before } = await requireAccount(db, account)
    const done = { what: `credits correct ${credits}`, subject: accountId, why, actor }
    await act(db, done, async (tx) => {
      if (await correctCredits(tx, { accountId, credits, note })) return
      const free = before.creditsBalance - before.creditsReserved
      const rule = 'CREDITS must not remove credits held for jobs'
      const message = `${rule}. Got ${credits}, but only ${free} can be removed`
      throw new FarmError('conflict', message)
    })
    return await requireAccount(db, accountId)
  },
})
