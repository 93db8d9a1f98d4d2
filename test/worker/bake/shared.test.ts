import test from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import type { Baker } from '../../../worker/bake/baker.ts'
import { createSharedBakes } from '../../../worker/bake/shared.ts'
import { bakerFor, html, never } from './baking.ts'

const baker = bakerFor(test)
const card = (name: string) => [html(`<b style="font-size:30px">${name}</b>`)]

/** A real baker that records the number of documents of each call. */
function counted(): { counted: Baker; pages: number[] } {
  const pages: number[] = []
  const bake: Baker['bake'] = (documents, ...more) => {
    pages.push(documents.length)
    return baker().bake(documents, ...more)
  }
  return { counted: { ...baker(), bake }, pages }
}

test('concurrent cards of an account share a page without changing', async (t) => {
  const { counted: counting, pages } = counted()
  const shared = createSharedBakes(counting)
  const names = ['Ada', 'Grace', 'Edsger', 'Barbara']
  const ask = (name: string, accountId: string) =>
    shared.bake({ documents: card(name), accountId, signal: never })
  const together = await Promise.all(names.map((name) => ask(name, 'one')))
  t.deepEqual(pages, [4])
  for (const [index, name] of names.entries()) {
    const [alone] = await baker().bake(card(name), never)
    t.deepEqual(together[index], [alone])
  }
  await Promise.all([ask('Ada', 'one'), ask('Ada', 'two')])
  t.deepEqual(pages, [4, 1, 1], 'accounts share no page')
})

test('a card that cannot be painted fails its own task only', async (t) => {
  const shared = createSharedBakes(baker())
  const huge = [html('<div style="width:9000px;height:10px">x</div>', { field: 'visuals[7]' })]
  const asked = [card('Ada'), huge, card('Grace')].map((documents) =>
    shared.bake({ documents, accountId: 'one', signal: never }),
  )
  const [ada, fault, grace] = await Promise.allSettled(asked)
  t.is(ada?.status, 'fulfilled')
  t.is(grace?.status, 'fulfilled')
  const error = fault?.status === 'rejected' ? (fault.reason as FarmError) : undefined
  t.is(error?.code, 'element_invalid')
  t.is(error?.field, 'visuals[7]')
})

test('a task that is stopped leaves the page to the others', async (t) => {
  const shared = createSharedBakes(baker())
  const stopped = new AbortController()
  const ask = (name: string, signal: AbortSignal) =>
    shared.bake({ documents: card(name), accountId: 'one', signal })
  const asked = [ask('Ada', never), ask('Grace', stopped.signal)]
  stopped.abort(new Error('the attempt is cancelled'))
  const [ada, grace] = await Promise.allSettled(asked)
  t.is(ada?.status, 'fulfilled')
  t.is(grace?.status === 'rejected' ? (grace.reason as FarmError).code : '', 'cancelled')
})
