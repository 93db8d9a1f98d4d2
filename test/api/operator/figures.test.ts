import test from 'ava'
import { readFiguresOperation } from '../../../operator/figures.ts'
import type { FarmAccess } from '../../../operator/operation.ts'
import type { Db } from '../../../store/db/database.ts'
import { addNode, startDatabase } from '../../store/database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

/** The same database, which counts its statements; `fails`: the first ones fail. */
function counting({ fails = 0 } = {}) {
  const state = { statements: 0, fails }
  const counted: Db = db.withPlugin({
    transformQuery({ node }) {
      state.statements += 1
      return node
    },
    async transformResult({ result }) {
      state.fails -= 1
      if (state.fails >= 0) throw new Error('the database was away')
      return result
    },
  })
  const read = () => readFiguresOperation.run({ db: counted } as FarmAccess, {}, 'ada')
  return { state, read }
}

test('figures that many operators ask for at once are one statement', async (t) => {
  await addNode(db)
  const { state, read } = counting()
  const all = await Promise.all(Array.from({ length: 20 }, read))
  t.is(state.statements, 1)
  t.is(all[0]?.nodes[0]?.nodes, 1)
  t.deepEqual(new Set(all).size, 1)
})

test('figures that could not be read are read again at once', async (t) => {
  const { state, read } = counting({ fails: 1 })
  await t.throwsAsync(read(), { message: /was away/ })
  t.truthy((await read()).nodes)
  t.is(state.statements, 2)
})
