import test from 'ava'
import { type BacklogFacts, type BacklogLane, backlogOf } from '../../../core/queue/backlog.ts'

const lane: BacklogLane = {
  ...{ accountId: 'a', pools: ['cpu'], tasks: 10, queued: 10, slots: 1, seconds: 6 },
}
const farm: BacklogFacts = {
  lanes: [lane],
  accounts: [{ id: 'a', left: 100 }],
  pools: [{ pool: 'cpu', runningSlots: 0, left: null }],
  farmLeft: null,
}
const cpu = (facts: Partial<BacklogFacts>) =>
  backlogOf({ ...farm, ...facts }).find(({ pool }) => pool === 'cpu')

test('a pool wants the slots that do its backlog in 30 seconds', (t) => {
  t.like(cpu({}), { tasks: 10, seconds: 60, wantedSlots: 2 })
  t.like(cpu({ lanes: [] }), { tasks: 0, seconds: 0, wantedSlots: 0 })
  t.is(cpu({ lanes: [{ ...lane, tasks: 1, queued: 1, seconds: 0.01 }] })?.wantedSlots, 1)
})

test('running work is wanted beside the backlog', (t) => {
  const pools = [{ pool: 'cpu', runningSlots: 2.5, left: null }]
  t.is(cpu({ pools })?.wantedSlots, 5)
  t.is(cpu({ pools, lanes: [] })?.wantedSlots, 3)
})

test('no more slots are wanted than the tasks can use', (t) => {
  t.is(cpu({ lanes: [{ ...lane, tasks: 2, queued: 2, seconds: 600 }] })?.wantedSlots, 2)
  const small = { ...lane, tasks: 9, queued: 9, slots: 1 / 8, seconds: 600 }
  t.is(cpu({ lanes: [small] })?.wantedSlots, 2)
})

test('work beyond a limit of account, pool or farm does not count', (t) => {
  t.like(cpu({ accounts: [{ id: 'a', left: 0 }] }), { tasks: 0, seconds: 0, wantedSlots: 0 })
  t.like(cpu({ accounts: [{ id: 'a', left: 3 }] }), { tasks: 3, seconds: 18 })
  t.like(cpu({ farmLeft: 4 }), { tasks: 4, seconds: 24 })
  t.like(cpu({ pools: [{ pool: 'cpu', runningSlots: 7, left: -1 }] }), {
    ...{ tasks: 0, seconds: 0, wantedSlots: 7 },
  })
})

test('several lanes share the limit of their account', (t) => {
  const lanes = [lane, { ...lane, seconds: 60 }]
  t.like(cpu({ lanes, accounts: [{ id: 'a', left: 12 }] }), { tasks: 12, seconds: 60 + 120 })
})

test('a limit that cuts a long line is wanted in full', (t) => {
  const cut = { ...lane, tasks: 8, queued: 5_000 }
  t.like(cpu({ lanes: [cut] }), { tasks: 8, seconds: 48, wantedSlots: 8 })
})

test('work that a full pool cannot take goes to the next', (t) => {
  const lanes = [{ ...lane, pools: ['cpu', 'gpu'] }]
  const pools = [
    { pool: 'cpu', runningSlots: 0, left: 4 },
    { pool: 'gpu', runningSlots: 0, left: null },
  ]
  const [first, second] = backlogOf({ ...farm, lanes, pools })
  t.like(first, { pool: 'cpu', tasks: 4, seconds: 24, wantedSlots: 2 })
  t.like(second, { pool: 'gpu', tasks: 6, seconds: 36, wantedSlots: 0 })
})

test('work that no pool can do wants no slots', (t) => {
  t.like(cpu({ lanes: [{ ...lane, pools: [] }] }), { tasks: 0, wantedSlots: 0 })
})
