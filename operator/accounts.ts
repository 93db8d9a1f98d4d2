import { Type } from 'typebox'
import { planNames } from '../core/accounts/plans.ts'
import { FarmError } from '../core/errors.ts'
import { cancelOpenJobs, closeAccount } from '../store/db/accounts/close-account.ts'
import { createAccount } from '../store/db/accounts/create-account.ts'
import { listAccounts } from '../store/db/accounts/list-accounts.ts'
import { setPlan } from '../store/db/accounts/set-plan.ts'
import { suspendAccount } from '../store/db/accounts/suspend-account.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { AccountSchema, IdOrName, limitOf, Name, Nullable, Uuid } from './schemas.ts'

const params = Type.Object({ account: IdOrName })
const admin = { role: 'admin', answer: AccountSchema } as const
const Plan = Type.Enum([...planNames])
const most = 100_000

export const listAccountsOperation = read({
  ...{ id: 'operatorListAccounts', path: '/accounts', role: 'viewer' },
  summary: 'List accounts, the newest first',
  query: Type.Object({ limit: limitOf(most, most), after: Type.Optional(Uuid) }),
  answer: Type.Object({
    accounts: Type.Array(AccountSchema),
    next: Nullable(Type.String({ description: 'Value of `after` for the next page' })),
  }),
  async run({ db }, { limit = most, after }) {
    if (after !== undefined) await requireAccount(db, after)
    const accounts = await listAccounts(db, { limit, ...(after !== undefined && { after }) })
    return { accounts, next: accounts.length === limit ? (accounts.at(-1)?.id ?? null) : null }
  },
})

export const getAccountOperation = read({
  ...{ id: 'operatorGetAccount', path: '/accounts/:account', role: 'viewer' },
  summary: 'Show an account',
  ...{ params, answer: AccountSchema },
  run: async ({ db }, { account }) => await requireAccount(db, account),
})

export const createAccountOperation = change({
  ...{ ...admin, id: 'operatorCreateAccount', path: '/accounts' },
  summary: 'Create an account without credits',
  body: Type.Object({ name: Name, plan: Plan }),
  async run({ db }, { name, plan, why }, actor) {
    const done = { what: `accounts create ${name}`, why, actor }
    const subject = ({ id }: { id: string }) => id
    const { id } = await act(db, { ...done, subject }, (tx) => createAccount(tx, { name, plan }))
    return await requireAccount(db, id)
  },
})

export const setPlanOperation = change({
  ...{ ...admin, id: 'operatorSetPlan', path: '/accounts/:account/plan' },
  summary: 'Change the plan of an account, from its next request on',
  ...{ params, body: Type.Object({ plan: Plan }) },
  async run({ db }, { account, plan, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `accounts set-plan ${plan}`, subject: accountId, why, actor }
    await act(db, done, (tx) => setPlan(tx, { accountId, plan }))
    return await requireAccount(db, accountId)
  },
})

function suspension(isSuspended: boolean) {
  const name = isSuspended ? 'suspend' : 'resume'
  return change({
    ...{ ...admin, id: `operator${isSuspended ? 'Suspend' : 'Resume'}Account` },
    path: `/accounts/:account/${name}`,
    summary: isSuspended
      ? 'Refuse the credentials of an account; its submitted jobs continue'
      : 'Accept the credentials of a suspended or closed account again; revoked keys stay revoked',
    params,
    async run({ db }, { account, why }, actor) {
      const { id: accountId } = await requireAccount(db, account)
      await act(db, { what: `accounts ${name}`, subject: accountId, why, actor }, async (tx) => {
        if (await suspendAccount(tx, { accountId, isSuspended })) return
        const [rule, seen] = isSuspended ? ['not be', 'is'] : ['be', 'is not']
        const message = `An account to ${name} must ${rule} suspended. Got one that ${seen}`
        throw new FarmError('conflict', message)
      })
      return await requireAccount(db, accountId)
    },
  })
}

export const suspendAccountOperation = suspension(true)
export const resumeAccountOperation = suspension(false)

export const closeAccountOperation = change({
  ...{ ...admin, id: 'operatorCloseAccount', path: '/accounts/:account/close', params },
  summary: 'Close an account: revoke its keys, end its sessions, cancel its jobs, keep its files',
  async run({ db }, { account, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: 'accounts close', subject: accountId, why, actor }
    await act(db, done, (tx) => closeAccount(tx, accountId))
    await cancelOpenJobs(db, { accountId, reason: 'the account was closed' })
    return await requireAccount(db, accountId)
  },
})
