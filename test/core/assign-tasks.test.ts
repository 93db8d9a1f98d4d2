import test from 'ava'
import {
  type AskingNode,
  assignTasks,
  type Standing,
  type WaitingTask,
} from '../../core/assign-tasks.ts'

const none = { memory: 0, gpuMemory: 0, sessions: 0 }

function node(id: string, given: Partial<AskingNode> = {}, slots = 1): AskingNode {
  const left = { slots, memory: null, gpuMemory: 0, sessions: null }
  return { id, pool: '', left, jobIds: [], media: [], ...given }
}

/**
 * Tasks named `a1`, `a2`, `b1`: of account a and b, with start tags 10 apart in the order given.
 */
function tasks(names: string, given: Partial<WaitingTask> = {}): WaitingTask[] {
  return names.split(' ').map((id, index) => ({
    ...{ id, accountId: id[0] ?? '', jobId: `job ${id[0]}`, shapeId: 1, start: index * 10 },
    ...{ cost: 10, media: [], barred: [], ...given },
  }))
}

function share(given: Partial<Standing>): string {
  const nodes = given.nodes ?? []
  const nodeIds = nodes.map(({ id }) => id)
  const limits = { running: 0, guaranteed: 0, burst: 100, jobSlots: 100 }
  const assigned = assignTasks({
    shapes: [{ id: 1, needs: { slots: 1, ...none }, nodeIds }],
    accounts: ['a', 'b', 'c'].map((id) => ({ id, ...limits })),
    ...{ nodes, tasks: [], jobs: [], pools: [], farmLeft: null, ...given },
  })
  return assigned.map(({ nodeId, taskId }) => `${nodeId}:${taskId}`).join(' ')
}

const limits = { running: 0, guaranteed: 0, burst: 100, jobSlots: 100 }

test('nodes are served one after the other, each with the smallest tags that are left', (t) => {
  const nodes = [node('m', {}, 2), node('n')]
  t.is(share({ nodes, tasks: tasks('a1 b1 a2 b2') }), 'm:a1 m:b1 n:a2')
})

test('the limits of pools and of the farm hold for all that are served together', (t) => {
  const nodes = [node('m', { pool: 'p' }), node('n', { pool: 'p' }), node('o'), node('q')]
  const all = { nodes, tasks: tasks('a1 a2 a3 a4') }
  t.is(share({ ...all, pools: [{ name: 'p', left: 1 }] }), 'm:a1 o:a2 q:a3')
  t.is(share({ ...all, farmLeft: 2 }), 'm:a1 n:a2')
})

test('no account passes its burst, nor a job its slots, whichever node asks', (t) => {
  const nodes = [node('m'), node('n'), node('o')]
  const b = { id: 'b', ...limits }
  const queue = { nodes, tasks: tasks('a1 a2 a3 b1') }
  t.is(
    share({ ...queue, accounts: [{ id: 'a', ...limits, running: 3, burst: 4 }, b] }),
    'm:a1 n:b1',
  )
  const jobs = [{ id: 'job a', running: 1 }]
  t.is(share({ ...queue, jobs, accounts: [{ id: 'a', ...limits, jobSlots: 2 }, b] }), 'm:a1 n:b1')
})

test('guaranteed slots come first, and are used up by the nodes before', (t) => {
  const nodes = [node('m'), node('n')]
  const accounts = [
    { id: 'a', ...limits },
    { id: 'b', ...limits, guaranteed: 1 },
  ]
  t.is(share({ nodes, accounts, tasks: tasks('a1 a2 b1 b2') }), 'm:b1 n:a1')
})

test('a node gets only what it can do, has room for, and has not failed', (t) => {
  const nodes = [node('m', { left: { slots: 9, memory: 100, gpuMemory: 0, sessions: null } })]
  const big = { id: 2, needs: { slots: 1, ...none, memory: 60 }, nodeIds: ['m'] }
  const foreign = { id: 3, needs: { slots: 1, ...none }, nodeIds: ['another'] }
  const queue = [
    ...tasks('a1', { shapeId: 3 }),
    ...tasks('a2', { shapeId: 2, barred: ['m'] }),
    ...tasks('a3 b1 b2', { shapeId: 2, start: 5 }),
  ]
  t.is(share({ nodes, tasks: queue, shapes: [big, foreign] }), 'm:a3')
})

test('locality prefers tasks by their cost, up to the bound', (t) => {
  const near = [node('m', { jobIds: ['job b'] })]
  t.is(share({ nodes: near, tasks: tasks('a1 a2 b1', { cost: 25 }) }), 'm:b1')
  t.is(share({ nodes: near, tasks: tasks('a1 a2 b1', { cost: 15 }) }), 'm:a1')
  const far = tasks('a1 b1', { cost: 1_000 }).map((task, index) => ({
    ...task,
    start: index * 101,
  }))
  t.is(share({ nodes: near, tasks: far }), 'm:a1')
  const media = [...tasks('a1'), ...tasks('b1', { start: 5, media: ['digest'] })]
  t.is(share({ nodes: [node('m', { media: ['digest'] })], tasks: media }), 'm:b1')
})
