import test from 'ava'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { filmOf, listPreviews, named, path } from './preview-requests.ts'

let gateway: Gateway
test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const image = { type: 'image', visuals: film.visuals }
/** Body, status, and the fields that are named. */
const refused: readonly (readonly [string, unknown, number, readonly string[]])[] = [
  ['no body', '', 400, []],
  ['no JSON', '{"payload": ', 400, []],
  ['a list', [], 400, ['']],
  ['nothing to paint', {}, 400, ['']],
  ['options alone', { times: [1] }, 400, ['']],
  ['no list of times', named('x', { times: 1 }), 400, ['times']],
  ['an empty list of times', named('x', { times: [] }), 400, ['times']],
  ['thirteen times', named('x', { times: Array(13).fill(1) }), 400, ['times']],
  ['many times', named('x', { times: Array(100_000).fill('a') }), 400, ['times']],
  ['a time before the film', named('x', { times: [-1] }), 400, ['times[0]']],
  ['a time in words', named('x', { times: [1, '50%'] }), 400, ['times[1]']],
  ['a null time', named('x', { times: [null] }), 400, ['times[0]']],
  [
    'two times beyond the end',
    named('x', { times: [1, 3, 2, 2.1] }),
    422,
    ['times[1]', 'times[3]'],
  ],
  ['times of a still', { payload: image, times: [0] }, 422, ['times']],
  ['a narrow frame', named('x', { width: 63 }), 400, ['width']],
  ['a full-size frame', named('x', { width: 481 }), 400, ['width']],
  ['half a pixel', named('x', { width: 100.5 }), 400, ['width']],
  ['a width in words', named('x', { width: '320' }), 400, ['width']],
  ['a small sheet', named('x', { maxBytes: 9_999 }), 400, ['maxBytes']],
  ['a large sheet', named('x', { maxBytes: 200_001 }), 400, ['maxBytes']],
  ['inline in words', named('x', { inline: 'yes' }), 400, ['inline']],
  ['refresh as a number', named('x', { refresh: 1 }), 400, ['refresh']],
  ['a webhook', named('x', { webhookUrl: 'https://example.com/hook' }), 400, ['webhookUrl']],
  ['a faulty webhook', named('x', { webhookUrl: 1 }), 400, ['webhookUrl']],
  ['an id', named('x', { jobId: '00000000-0000-4000-8000-000000000000' }), 400, ['jobId']],
  ['an unknown option', named('x', { format: 'png' }), 400, ['format']],
  ['a faulty project', filmOf({ duration: 'x' }), 400, ['duration']],
  [
    'a private medium',
    filmOf({ visuals: [{ type: 'IMAGE', src: 'http://127.0.0.1/a.png' }] }),
    422,
    ['visuals[0].src'],
  ],
  ['a film beyond the plan', filmOf({ duration: 301 }), 422, ['duration']],
  [
    'faults everywhere',
    { ...filmOf({ duration: 'x' }), width: 1, times: ['a'] },
    400,
    ['times[0]', 'width', 'duration'],
  ],
  ['a template of nobody', { template: 'tpl_00000000000000000000' }, 404, ['template']],
]

test('bad input is refused with every fault, and paints nothing', async (t) => {
  const customer = await gateway.customer()
  for (const [what, body, status, fields] of refused) {
    const reply = await customer.post(path, body)
    t.is(reply.statusCode, status, `${what}: ${reply.body}`)
    if (fields.length === 0) continue
    const details: { field: string; message: string }[] = reply.json().details
    t.deepEqual(details.map(({ field }) => field).sort(), [...fields].sort(), what)
    for (const { message } of details) t.regex(message, / must | is not a property of /, what)
  }
  t.deepEqual(await listPreviews(gateway.db, customer.accountId), [])
})

test('a fault of the preview points into the body', async (t) => {
  const customer = await gateway.customer()
  const reply = await customer.post(path, {
    ...filmOf({ duration: 'x' }),
    width: 1,
    times: [1, 'a'],
  })
  const pointers = reply.json().details.map(({ pointer }: { pointer: string }) => pointer)
  t.deepEqual(pointers.sort(), ['/payload/duration', '/times/1', '/width'])
})
