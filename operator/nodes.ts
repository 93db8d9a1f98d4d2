import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { type NodeAct, nodeActs } from '../core/fleet/node-states.ts'
import type { Db } from '../store/db/database.ts'
import { inTransaction } from '../store/db/database.ts'
import { listActs } from '../store/db/fleet/list-acts.ts'
import { listNodes } from '../store/db/fleet/list-nodes.ts'
import { moveNode } from '../store/db/fleet/move-node.ts'
import { recordAct } from '../store/db/fleet/record-act.ts'
import { attemptsOf } from './attempts.ts'
import { requireNode } from './find.ts'
import { change, read } from './operation.ts'
import { ActSchema, AttemptSchema, IdOrName, NodeSchema } from './schemas.ts'

const listedMs = 24 * 3_600_000
const attemptsShown = 20
const actsShown = 10

export const listNodesOperation = read({
  ...{ id: 'operatorListNodes', path: '/nodes', role: 'viewer' },
  summary: 'List the nodes that were seen in the last day, or that an operator stopped',
  answer: Type.Object({ nodes: Type.Array(NodeSchema) }),
  run: async ({ db }) => ({ nodes: await listNodes(db, { seenWithinMs: listedMs }) }),
})

export const getNodeOperation = read({
  ...{ id: 'operatorGetNode', path: '/nodes/:node', role: 'viewer' },
  summary: 'Show a node with its latest attempts and the acts about it',
  params: Type.Object({ node: IdOrName }),
  answer: Type.Interface([NodeSchema], {
    attempts: Type.Array(AttemptSchema),
    history: Type.Array(ActSchema),
  }),
  async run({ db }, { node }) {
    const found = await requireNode(db, node)
    const attempts = await attemptsOf(db, { of: 'node', id: found.id, limit: attemptsShown })
    const history = await listActs(db, { subject: found.id, limit: actsShown })
    return { ...found, attempts, history }
  },
})

export const listQuarantinesOperation = read({
  ...{ id: 'operatorListQuarantines', path: '/quarantines', role: 'viewer' },
  summary: 'List quarantined nodes with the acts about them, failed canaries included',
  answer: Type.Object({
    nodes: Type.Array(Type.Interface([NodeSchema], { history: Type.Array(ActSchema) })),
  }),
  async run({ db }) {
    const all = await listNodes(db, { seenWithinMs: 0 })
    const quarantined = all.filter(({ state }) => state === 'quarantined')
    const histories = quarantined.map(async (node) => ({
      ...node,
      history: await listActs(db, { subject: node.id, limit: actsShown }),
    }))
    return { nodes: await Promise.all(histories) }
  },
})

type OperatorAct = Extract<NodeAct, 'cordon' | 'uncordon' | 'drain' | 'release'>
const mostAtOnce = 500

const summaries: Readonly<Record<OperatorAct, string>> = {
  cordon: 'Give nodes no new tasks; their running tasks continue',
  uncordon: 'Let cordoned or draining nodes take tasks again',
  drain: 'Cordon nodes, and take back tasks that still run after a minute',
  release: 'Let quarantined nodes take tasks without a canary',
}

/** Changes several nodes with one reason: all of them, or none. Each is an act of its own. */
function changeNodes(nodeAct: OperatorAct) {
  return change({
    ...{ id: `operator${capital(nodeAct)}Nodes`, path: `/nodes/${nodeAct}`, role: 'operator' },
    summary: summaries[nodeAct],
    body: Type.Object({ nodes: Type.Array(IdOrName, { minItems: 1, maxItems: mostAtOnce }) }),
    answer: Type.Object({ nodes: Type.Array(NodeSchema) }),
    async run({ db }, { nodes, why }, actor) {
      const ids = await inTransaction(db, async (tx) => {
        const found = []
        for (const node of nodes) found.push(await requireNode(tx, node))
        for (const { id, name, state } of found) {
          if (!(await moveNode(tx, { nodeId: id, act: nodeAct, reason: why }))) {
            const from = nodeActs[nodeAct].from.join(' or ')
            const seen = nodes.length === 1 ? 'one that is' : `${name}, which is`
            const message = `A node to ${nodeAct} must be ${from}. Got ${seen} ${state}`
            throw new FarmError('conflict', message)
          }
          await recordAct(tx, { actor, act: `nodes ${nodeAct}`, subject: id, why })
        }
        return found.map(({ id }) => id)
      })
      return { nodes: await shown(db, ids) }
    },
  })
}

async function shown(db: Db, ids: readonly string[]) {
  const lists = await Promise.all(ids.map((node) => listNodes(db, { seenWithinMs: 0, node })))
  return lists.flat()
}

const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`

export const nodeChanges = {
  cordon: changeNodes('cordon'),
  uncordon: changeNodes('uncordon'),
  drain: changeNodes('drain'),
  release: changeNodes('release'),
} as const
