import { Type } from 'typebox'
import { nodeLiveMs } from '../core/fleet/node-states.ts'
import { text } from '../core/project/schema/fields.ts'
import { listQueue } from '../store/db/queue/list-queue.ts'
import { listShares } from '../store/db/queue/list-shares.ts'
import { setShare } from '../store/db/queue/set-share.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { IdOrName, Name, Nullable, ShareSchema } from './schemas.ts'

const lanesShown = 200
const noNode = 'any node that takes work'
const maxSlots = 1_000_000

export const listQueueOperation = read({
  ...{ id: 'operatorListQueue', path: '/queue', role: 'viewer' },
  summary:
    'List waiting tasks by account and kind: what no node can run, and limits that are reached',
  answer: Type.Object({
    lanes: Type.Array(
      Type.Object({
        account: Type.String(),
        accountId: Type.String({ format: 'uuid' }),
        kind: Type.String(),
        requirements: Type.Record(Type.String(), Type.Unknown()),
        queued: Type.Integer(),
        running: Type.Integer(),
        waitSeconds: Type.Number({ description: 'Wait of the oldest task' }),
        missing: Type.Array(Type.String(), {
          description: 'Capabilities that the node lacks which lacks the fewest',
        }),
        limits: Type.Array(
          Type.Object({
            of: Type.Enum(['farm', 'pool', 'account', 'job']),
            name: Type.String(),
            running: Type.Integer(),
            most: Type.Integer(),
          }),
          { description: 'Limits that keep all its tasks from running, however idle the nodes' },
        ),
      }),
    ),
  }),
  async run({ db }) {
    const lanes = await listQueue(db, { seenWithinMs: nodeLiveMs, limit: lanesShown })
    return { lanes: lanes.map((lane) => ({ ...lane, missing: lane.missing ?? [noNode] })) }
  },
})

const Shares = Type.Object({ shares: Type.Array(ShareSchema) })

export const listSharesOperation = read({
  ...{ id: 'operatorListShares', path: '/shares', role: 'viewer' },
  summary: 'List the accounts whose share differs from that of their plan',
  answer: Shares,
  run: async ({ db }) => ({ shares: await listShares(db) }),
})

export const getShareOperation = read({
  ...{ id: 'operatorGetShare', path: '/accounts/:account/share', role: 'viewer' },
  summary: 'Show the share of an account',
  params: Type.Object({ account: IdOrName }),
  answer: Shares,
  async run({ db }, { account }) {
    const { id: accountId } = await requireAccount(db, account)
    return { shares: await listShares(db, { accountId }) }
  },
})

const Slots = Type.Optional(
  Nullable(Type.Integer({ minimum: 0, maximum: maxSlots, description: 'Null: as the plan says' })),
)

export const changeShareOperation = change({
  ...{ id: 'operatorChangeShare', path: '/accounts/:account/share', role: 'admin' },
  summary: 'Change the share of an account; an absent property stays',
  params: Type.Object({ account: IdOrName }),
  body: Type.Object({
    weight: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1000 })),
    slotsGuaranteed: Slots,
    slotsBurst: Slots,
    pool: Type.Optional(Nullable(text(100, 1))),
    tags: Type.Optional(Type.Array(Name, { maxItems: 50 })),
  }),
  answer: Shares,
  async run({ db }, { account, why, weight, slotsGuaranteed, slotsBurst, pool, tags }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const said = {
      ...(weight !== undefined && { weight }),
      ...(slotsGuaranteed !== undefined && { slotsGuaranteed }),
      ...(slotsBurst !== undefined && { slotsBurst }),
      ...(pool !== undefined && { pool }),
      ...(tags !== undefined && { tags }),
    }
    const what = `queue share ${JSON.stringify(said)}`
    await act(db, { what, subject: accountId, why, actor }, (tx) =>
      setShare(tx, { accountId, ...said }),
    )
    return { shares: await listShares(db, { accountId }) }
  },
})
