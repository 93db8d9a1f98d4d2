import { createHash } from 'node:crypto'
import test from 'ava'
import { webhookEvents } from '../../../core/webhooks/envelope.ts'
import { agentToolModule } from '../../../infra/setup/agent-tools.mjs'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

const { encode } = await import(agentToolModule('gpt-tokenizer/esm/encoding/o200k_base.js'))
const tokensMost = 10_000

// Rare characters, which a tokenizer has no words for.
const rare = Array.from({ length: 12_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
/** Returns another stranger's text of a length. */
const textOf = (length: number, no = 0) => rare.slice(no * 7, no * 7 + length)

/** Returns letters and digits that are no words, other ones for each number. */
function lettersOf(length: number, no = 0): string {
  let text = ''
  for (let i = 0; text.length < length; i += 1) text += sha256(`${no} ${i}`).toString('base64url')
  return text.slice(0, length)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

type Many = <T>(count: number, make: (no: number) => Promise<T>) => Promise<T[]>
const many: Many = async (count, make) => {
  const made = []
  for (let no = 0; no < count; no += 1) made.push(await make(no))
  return made
}

const named = (no: number) => ({ ...film, name: lettersOf(1_000, no) })
const links = { url: 'https://example.com/', thumbnailUrl: null }
const result = { duration: 2, size: 9, width: 320, height: 180, format: 'mp4' as const }
const files = { outputKey: 'accounts/a/output', thumbnailKey: 'accounts/a/thumbnail', links }
const completed = { to: 'completed' as const, result, ...files }
const faultsOf = (count: number) =>
  Array.from({ length: count }, (_, no) => ({
    ...{ field: lettersOf(300, no), code: 'media_invalid' as const, message: lettersOf(900, no) },
  }))
const failed = {
  to: 'failed' as const,
  error: { code: 'media_invalid' as const, message: lettersOf(900), details: faultsOf(60) },
}

/** An account in which all that strangers name is as long as it may be, and of the largest number. */
async function crowded() {
  const customer = await gateway.customer(1_000_000)
  const { post, accountId } = customer
  const { db } = gateway
  await db.updateTable('accounts').set({ plan: 'studio' }).where('id', '=', accountId).execute()
  const settle = async (jobId: string, settlement: typeof completed | typeof failed) => {
    await db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
    await settleJob(db, { accountId, jobId, reason: 'test', settlement })
  }
  const jobs = await many(50, async (no) => {
    const reply = await post('/api/render/api-key', { payload: named(no) })
    return String(reply.json().jobId)
  })
  await settle(jobs[0] ?? '', failed)
  const templates = await many(25, async (no) => {
    const names = { name: textOf(200, no), description: textOf(1_000, no) }
    return (await post('/api/templates', { ...names, payload: named(no) })).json().id as string
  })
  const items = Array.from({ length: 60 }, (_, no) => ({ name: lettersOf(1_000, no) }))
  const bulk = (await post('/api/render/bulk/api-key', { payload: film, items })).json()
  for (const jobId of bulk.jobIds) await settle(jobId, completed)
  const hooks = await many(50, async (no) => {
    const at = `https://example.com/${no}/${lettersOf(2_000, no)}`
    return (await post('/api/webhooks', { url: at, events: [...webhookEvents] })).json()
      .id as string
  })
  const [webhook = ''] = hooks
  const { id } = await db
    .selectFrom('webhooks')
    .select('id')
    .where('account_id', '=', accountId)
    .where('url', 'like', 'https://example.com/0/%')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('webhook_deliveries')
    .values(
      Array.from({ length: 40 }, (_, no) => ({
        ...{ account_id: accountId, webhook_id: id, target: id, body: '{}' },
        ...{
          event: 'render.completed' as const,
          job_id: jobs[0] ?? '',
          status: 'failed' as const,
          next_attempt_at: null,
        },
        failed_reason: lettersOf(1_000, no),
        attempts: JSON.stringify([
          {
            at: new Date().toISOString(),
            responseCode: null,
            error: lettersOf(1_000),
            durationMs: 1,
          },
        ]),
      })) as never,
    )
    .execute()
  return { ...customer, jobs, templates, bulk: String(bulk.bulkId), hooks, webhook }
}

/** Projects with more faults than are listed, and with faults that repair_draft mends. */
const faulty = {
  ...film,
  visuals: Array.from({ length: 60 }, (_, no) => ({ [lettersOf(300, no)]: lettersOf(300, no) })),
}
const mendable = {
  ...film,
  visuals: Array.from({ length: 60 }, (_, no) => ({
    ...{ type: 'TEXT', html: 'a', enterBegin: '0', [lettersOf(300, no)]: lettersOf(900, no) },
  })),
}

test('each tool’s result on the largest inputs stays below its tokens', async (t) => {
  const account = await crowded()
  const { key, post, jobs, templates, bulk, hooks, webhook } = account
  const headers = { 'x-api-key': key }
  const { call, client } = await connect(url, { headers, profile: 'developer' })
  const variables = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`variable${i}`, `value ${i} `.repeat(60)]),
  )
  const template = (
    await post('/api/templates', { name: 'T', payload: { ...film, variables } })
  ).json().id
  const letters = Object.fromEntries(
    Array.from({ length: 200 }, (_, no) => [`v${no}`, lettersOf(400, no)]),
  )
  const html = lettersOf(6_000)
  const dense = (
    await post('/api/templates', {
      ...{ name: textOf(200), description: textOf(1_000) },
      payload: { ...film, variables: letters },
    })
  ).json().id
  const short = (
    await post('/api/templates', {
      ...{ name: textOf(200), description: textOf(1_000) },
      payload: { ...film, variables: { a: lettersOf(2_000) }, visuals: [{ type: 'TEXT', html }] },
    })
  ).json().id
  const draftOf = async (args: object) => {
    const { text } = await call('save_draft', { name: lettersOf(200), ...args })
    return /prj_\w{20}/.exec(text)?.[0]
  }
  const draft = await draftOf({ from: 'launch' })
  const [broken, broken2] = [
    await draftOf({ project: faulty }),
    await draftOf({ project: mendable }),
  ]
  const wrong = Array.from({ length: 25 }, (_, no) => ({
    variables: { a: { b: lettersOf(900, no) } },
  }))
  const long = lettersOf(4_000)
  const given: Readonly<Record<string, readonly object[]>> = {
    get_account: [{}],
    get_schema: [{}, { part: 'TEXT' }, { part: 'CUSTOM' }, { part: long }],
    find_examples: [{}],
    list_renders: [{ limit: 50 }],
    get_render: [{ id: jobs[0] }, { id: jobs[1] }, { id: long }],
    list_templates: [{}],
    get_template: [template, dense, short, templates[0]].flatMap((each) => [
      ...[{ template: each }, { template: each, withProject: true }],
    ]),
    check_project: [
      ...[{ draft }, { draft: broken }, { draft: broken2 }, { template }, { project: faulty }],
      { template: short, variables: letters },
    ],
    save_draft: [
      ...[
        { name: 'x', from: 'launch' },
        { name: 'x', from: template },
        { name: 'x', from: 'no' },
      ],
      ...[
        { name: 'x', project: faulty },
        { name: long, from: 'launch' },
      ],
      { name: 'x', from: long },
    ],
    edit_draft: [
      { draft, patch: [] },
      { draft: broken, patch: [] },
      { draft, patch: [{ op: 'remove', path: `/${long}` }] },
      { draft, patch: Array.from({ length: 60 }, () => ({ op: long, path: 1 })) },
    ],
    repair_draft: [{ draft }, { draft: broken2 }, { draft: broken }],
    quote_render: [{ draft }, { draft: broken }, { project: faulty }],
    render: [{ quote: long }],
    cancel_render: [{ id: jobs[2] }],
    save_template: [
      { draft, name: 'T' },
      { draft, name: long },
    ],
    quote_bulk: [
      { template, items: Array.from({ length: 25 }, () => ({ variables: { no: 1 } })) },
      { template: short, items: wrong },
      { draft: broken, items: [{}] },
    ],
    render_bulk: [{ quote: long }],
    get_bulk: [{ bulk }, { bulk, page: 3 }, { bulk: `blk_${long}` }],
    cancel_bulk: [{ bulk }],
    list_webhooks: [{}, { deliveriesOf: webhook }],
    create_webhook: [{ url: `https://example.com/${long}`, events: [long] }],
    test_webhook: [{ webhook }],
    redeliver: [{ delivery: long }],
    update_template: [{ template, draft, name: long }],
    delete_template: [{ template: long }],
    update_webhook: [{ webhook, url: `https://example.com/${lettersOf(2_000)}` }],
    delete_webhook: [{ webhook: hooks[3] }],
    get_usage: [{ days: 90 }],
  }
  const { tools } = await client.listTools()
  const texts = new Map<string, string>()
  for (const { name } of tools.filter(({ name }) => name !== 'preview_project')) {
    for (const args of given[name] ?? []) {
      const { text, structured } = await call(name, { ...args })
      const facts = structured === undefined ? '' : JSON.stringify(structured)
      const tokens = Math.max(encode(text).length, encode(facts).length)
      t.log(name, tokens)
      t.true(tokens <= tokensMost, `${name}: ${tokens} tokens`)
      if (!texts.has(name)) texts.set(name, text)
    }
    t.truthy(given[name], `${name} must be given its largest inputs`)
  }
  // The caps were reached, and each row is there.
  const rowsOf = (name: string, row: RegExp) => texts.get(name)?.match(row)?.length
  t.is(rowsOf('list_renders', /"id":/g), 50)
  t.is(rowsOf('list_templates', /^- tpl_.* \(video\)$/gm), 25)
  t.is(rowsOf('list_webhooks', /^- whk_.*…" /gm), 50)
  t.is(rowsOf('get_bulk', /"url":"http/g), 25)
  t.regex(texts.get('get_template') ?? '', /^- variable0: "value 0 [\s\S]*^- and 1\d\d more$/m)
})

test('a template of Chinese text stays below its tokens', async (t) => {
  const { key, post } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key }, profile: 'developer' })
  const variables = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`variable${i}`, rare.slice(i * 60, i * 60 + 60)]),
  )
  const visuals = [{ type: 'TEXT', html: rare.slice(6000, 10_000) }]
  for (const payload of [
    { ...film, visuals: [{ type: 'TEXT', html: rare.slice(0, 4000) }] },
    { ...film, variables, visuals },
  ]) {
    const made = await post('/api/templates', { name: 'T', payload })
    const template = made.json().id
    const { text } = await call('get_template', { template, withProject: true })
    t.true(encode(text).length <= tokensMost, `${encode(text).length} tokens`)
    t.regex(text, /Project: |The project has \d+ bytes/)
  }
})
