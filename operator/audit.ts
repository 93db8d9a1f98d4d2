import { Type } from 'typebox'
import { listActs } from '../store/db/fleet/list-acts.ts'
import { read } from './operation.ts'
import { ActSchema, IdOrName, limitOf, Name } from './schemas.ts'

const usual = 20

export const listActsOperation = read({
  ...{ id: 'operatorListActs', path: '/audit', role: 'viewer' },
  summary: 'List the acts of operators with their reasons, the latest first',
  query: Type.Object({
    subject: Type.Optional(IdOrName),
    actor: Type.Optional({ ...Name, description: 'A part of who did it' }),
    act: Type.Optional({ ...Name, description: 'A part of what was done, such as `nodes drain`' }),
    limit: limitOf(10_000, usual),
    before: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Id of the last act of the page before' }),
    ),
  }),
  answer: Type.Object({
    acts: Type.Array(ActSchema),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Value of `before` for the next page; null at the end',
    }),
  }),
  async run({ db }, { limit = usual, ...asked }) {
    const acts = await listActs(db, { limit, ...asked })
    return { acts, next: acts.length === limit ? (acts.at(-1)?.id ?? null) : null }
  },
})
