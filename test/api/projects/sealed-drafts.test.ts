import test from 'ava'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readSealKeys } from '../../../runtime/seal.ts'
import { addWarnings } from '../../../store/db/jobs/add-warnings.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { getProject } from '../../../store/db/projects/get-project.ts'
import { failTask } from '../../../store/db/queue/fail-task.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { sealOldDrafts } from '../../../workflows/janitor/seal-old-drafts.ts'
import { addNode, addTask, completeTask } from '../../store/database.ts'
import { connect, listen } from '../agent/host.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'

/** Texts of drafts and quotes are sealed: a dump of the database does not show them. */

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const payloadWith = (html: string) => ({ ...film, visuals: [{ type: 'TEXT', html }] })

/** Every row of every table as Postgres writes it; bytes are hexadecimal. */
async function dump(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`.execute(
    gateway.db,
  )
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ row: string }>`
        select t::text as row from ${sql.raw(name)} t`.execute(gateway.db)
      return rows.map(({ row }) => row).join('\n')
    }),
  )
  return texts.join('\n')
}

test.serial('no table shows name or text of drafts, versions and quotes', async (t) => {
  const { post, send } = await gateway.customer()
  const texts = ['secret-first', 'secret-second', 'secret-bulk', 'secret-quoted', 'secret-answer']
  const [first, second, bulk, quoted, unknown] = texts.map((word) => payloadWith(word))
  const words = [...texts, 'secret-name', 'secret-renamed']
  const { id } = (await post('/api/projects', { name: 'secret-name', payload: first })).json()
  const patch = [{ op: 'replace', path: '/visuals', value: second?.visuals }]
  t.is((await send('PATCH', `/api/projects/${id}`, { patch })).statusCode, 200)
  await send('PUT', `/api/projects/${id}`, { name: 'secret-renamed' })
  await post('/api/quotes', { project: id })
  await post('/api/quotes', { payload: quoted })
  await post('/api/quotes', { payload: bulk, items: [{}, {}] })
  await post('/api/projects', { name: 'Again', payload: unknown })
  const all = await dump()
  t.true(all.includes(id), 'the dump has the rows')
  for (const word of words) {
    t.false(all.includes(word), word)
    t.false(all.includes(Buffer.from(word).toString('hex')), word)
  }
  const restored = await post(`/api/projects/${id}/restore`, { version: 1 })
  t.is(restored.json().payload.visuals[0].html, 'secret-first')
  t.like(restored.json(), { type: 'video', name: 'secret-name' })
})

/** Work of an account's open preview: a task that answered its text, and one that failed with it. */
async function workAtPreview(accountId: string, word: string) {
  const { db } = gateway
  const { rows } = await sql<{ jobId: string }>`
    update jobs set state = 'rendering'
    where account_id = ${accountId} and preview is not null and finished_at is null
    returning id as "jobId"`.execute(db)
  const { jobId = '' } = rows[0] ?? {}
  const job = { accountId, jobId }
  const fact = { field: 'visuals[0]', code: 'unknown_font', message: `fact of ${word}` } as const
  await addWarnings(db, { ...job, warnings: [fact] })
  const nodeId = await addNode(db, { slots: 2 })
  await addTask(db, { ...job, spec: { text: word } })
  await addTask(db, { ...job, spec: { text: word } })
  const want = { wants: [{ nodeId, slots: 2 }], leaseMs: 60_000, nodeLiveMs: 60_000 }
  const [one, other] = await leaseTasks(db, want)
  if (!one || !other) throw new Error('Both tasks must be leased')
  const attemptOf = ({ id, attempt }: { id: string; attempt: number }) =>
    ({ nodeId, taskId: id, attempt }) as const
  await completeTask(db, { ...attemptOf(one), result: { text: word } })
  const failure = {
    code: 'invalid_value',
    message: `must be sane. Got ${word}`,
    logTail: `Error: must be sane. Got ${word}\n    at paint`,
  } as const
  await failTask(db, { ...attemptOf(other), failure })
  return { job, fact }
}

test.serial('no table shows words of an ended preview, but its answer does', async (t) => {
  const { accountId, post } = await gateway.customer()
  const [painted, failed] = ['secret-painted', 'secret-failed'].map((word) => ({
    word,
    payload: {
      ...{ ...film, backgroundColor: '#ffffff' },
      visuals: [{ type: 'TEXT', html: `<p style="color: #ffffff">${word}</p>` }],
    },
  }))
  if (!painted || !failed) throw new Error('There must be two')
  const ask = async ({ payload }: { payload: object }) =>
    await post('/api/render/preview', { payload })
  const { db } = gateway

  const asked = await ask(painted)
  t.is(asked.statusCode, 202, asked.body)
  const first = await workAtPreview(accountId, painted.word)
  t.true((await dump()).includes(painted.word), 'the dump shows it until its end')
  const outputKey = `accounts/${accountId}/sheet`
  await gateway.objects.put(outputKey, Buffer.from('a sheet'))
  const size = { size: 7, width: 64, height: 36 }
  const sheet = { frame: { width: 64, height: 36 }, frames: [], quality: 80 }
  await settleJob(db, {
    ...{ ...first.job, reason: 'rendered' },
    settlement: {
      to: 'completed',
      result: { duration: 0, ...size, format: 'jpg', sheet },
      ...{ charge: 0, outputKey, thumbnailKey: null, links: { url: '', thumbnailUrl: null } },
    },
  })
  await addWarnings(db, { ...first.job, warnings: [{ ...first.fact, field: 'visuals[1]' }] })

  t.is((await ask(failed)).statusCode, 202)
  const second = await workAtPreview(accountId, failed.word)
  const code = 'element_invalid'
  const fault = { field: 'visuals[0].html', pointer: '', code, message: failed.word } as const
  const error = { code, message: failed.word, details: [fault] } as const
  await settleJob(db, {
    ...{ ...second.job, reason: error.code },
    settlement: { to: 'failed', error },
  })

  const all = await dump()
  t.true(all.includes(first.job.jobId), 'the dump has the rows')
  for (const { word } of [painted, failed]) t.false(all.includes(word), word)
  const { rows } = await sql`
    select error->>'code' as code, preview ? 'wordsKey' as "hasKey" from jobs
    where id = ${second.job.jobId}`.execute(db)
  t.deepEqual(rows, [{ code: error.code, hasKey: false }])
  const codes = await sql`select error->>'code' as code from attempts
    where account_id = ${accountId} and error is not null`.execute(db)
  t.deepEqual(codes.rows, [{ code: 'invalid_value' }, { code: 'invalid_value' }])

  const answer = (await ask(painted)).json()
  t.is(answer.cached, true)
  const messages = answer.warnings.map(({ message }: { message: string }) => message)
  t.regex(messages[0], /secret-painted" has a contrast of 1:1/)
  t.deepEqual(messages.slice(1), [first.fact.message])
  const refusal = (await ask(failed)).json()
  t.like(refusal, { code: error.code, message: failed.word })
  t.is(refusal.details[0].message, failed.word)
})

/** A draft with an earlier version, and a quote of it, as farms before migration 0039 wrote them. */
async function olderRows(accountId: string, html: string) {
  const id = `prj_${'Old'.padEnd(20, '0')}`
  const { duration: _, ...still } = payloadWith(html)
  const payload = JSON.stringify({ ...still, type: 'image' })
  await sql`insert into projects (id, account_id, name, payload, version)
    values (${id}, ${accountId}, 'plainwords now', ${payload}::jsonb, 2)`.execute(gateway.db)
  await sql`insert into project_versions (project_id, version, account_id, name, payload, updated_at)
    values (${id}, 1, ${accountId}, 'plainwords before', ${payload}::jsonb, now())`.execute(
    gateway.db,
  )
  return id
}

test.serial('no log shows the name or text of a draft', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) })
  const replica = await gateway.startReplica({}, log)
  const { key } = await gateway.customer()
  const url = await listen(replica)
  const api = async (method: string, path: string, body: unknown) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    return await replica.server.inject({ method: method as 'POST', url: path, headers, payload })
  }
  const draft = { name: 'hidden-name', payload: payloadWith('hidden-text') }
  const { id } = (await api('POST', '/api/projects', draft)).json()
  const at = `/api/projects/${id}`
  for (const [method, path, body, status] of [
    ['PATCH', at, { patch: [{ op: 'add', path: '/name', value: 'hidden-patch' }] }, 200],
    ['PATCH', at, { patch: [{ op: 'remove', path: '/hidden-path/x' }] }, 422],
    ['POST', '/api/projects', '{"name":"hidden-broken', 400],
    ['POST', '/api/projects', { name: 'hidden-extra', payload: {}, hiddenField: 1 }, 400],
    ['POST', '/api/quotes', { project: id }, 201],
    ['POST', '/api/render/validate/api-key', { payload: draft.payload }, 200],
  ] as const) {
    t.is((await api(method, path, body)).statusCode, status, `${method} ${path}`)
  }
  const { call, close } = await connect(url, { headers: { 'x-api-key': key } })
  const saved = await call('save_draft', { name: 'hidden-saved', project: draft.payload })
  t.false(saved.isError, saved.text)
  await call('edit_draft', { draft: 'hidden-draft', patch: [] })
  await close()
  await replica.stop()
  t.true(lines.length >= 8, `${lines.length}`)
  t.deepEqual(
    lines.filter((line) => /hidden/i.test(line)),
    [],
  )
})

test.serial('drafts in clear stay readable, and the janitor seals them', async (t) => {
  const { accountId, get, post, send } = await gateway.customer()
  const id = await olderRows(accountId, 'plainwords')
  const path = `/api/projects/${id}`
  const isClear = async () => (await dump()).includes('plainwords')
  t.true(await isClear())
  const before = (await get(path)).json()
  t.like(before, { type: 'image', version: 2, payload: { type: 'image' } })
  const listed = { id, type: 'image', name: 'plainwords now' }
  t.like((await get('/api/projects')).json().projects[0], listed)
  t.is((await get('/api/projects?search=WORDS')).json().total, 1)
  const { versions } = (await get(`${path}/versions`)).json()
  const { sealKeys } = gateway.context
  while (await sealOldDrafts({ db: gateway.db, sealKeys }));
  t.false(await isClear())
  t.deepEqual((await get(path)).json(), before)
  t.like((await get('/api/projects')).json().projects[0], listed)
  t.is((await get('/api/projects?search=WORDS')).json().total, 1)
  t.deepEqual((await get(`${path}/versions`)).json().versions, versions)
  t.is(versions[1].name, 'plainwords before')
  t.is((await get(`${path}?version=1`)).json().payload.visuals[0].html, 'plainwords')
  t.is((await send('PUT', path, { name: 'New' })).json().version, 3)
  t.is((await post('/api/quotes', { project: id })).statusCode, 201)
})

test.serial('a name that an older api wrote is shown, and sealed', async (t) => {
  const { post, get, send } = await gateway.customer()
  const { id } = (await post('/api/projects', { name: 'Mine', payload: film })).json()
  await sql`update projects set name = 'plain-renamed' where id = ${id}`.execute(gateway.db)
  const nameNow = async () => (await get(`/api/projects/${id}`)).json().name
  t.is(await nameNow(), 'plain-renamed')
  const { sealKeys } = gateway.context
  while (await sealOldDrafts({ db: gateway.db, sealKeys }));
  t.is(await nameNow(), 'plain-renamed')
  t.false((await dump()).includes('plain-renamed'))
  await sql`update projects set name = 'plain-again' where id = ${id}`.execute(gateway.db)
  await send('PUT', `/api/projects/${id}`, { name: 'Sealed' })
  t.is(await nameNow(), 'Sealed')
})

test.serial('a new key seals all drafts anew', async (t) => {
  const { accountId, post } = await gateway.customer()
  const payload = payloadWith('under-keys')
  const { id: projectId } = (await post('/api/projects', { name: 'Mine', payload })).json()
  const newest = readSealKeys({ FARM_SEAL_KEYS: `new:${'n'.repeat(32)}` }, '')
  const owned = { accountId, projectId, sealKeys: newest }
  await t.throwsAsync(getProject(gateway.db, owned), { message: /must have the key farm/ })
  const sealKeys = [...newest, ...gateway.context.sealKeys]
  while (await sealOldDrafts({ db: gateway.db, sealKeys }));
  t.like(await getProject(gateway.db, owned), { name: 'Mine', payload })
  while (
    await sealOldDrafts({ db: gateway.db, sealKeys: [...gateway.context.sealKeys, ...newest] })
  );
})

test.serial('name and text of one draft open for no other', async (t) => {
  const { accountId, post, get } = await gateway.customer()
  const make = async (html: string): Promise<string> =>
    (await post('/api/projects', { name: html, payload: payloadWith(html) })).json().id
  const [one, other] = [await make('one'), await make('other')]
  const third = await make('third')
  for (const [column, id] of [
    ['sealed', other],
    ['sealed_name', third],
  ] as const) {
    const source = sql`(select ${sql.ref(column)} from projects where id = ${one})`
    await sql`update projects set ${sql.ref(column)} = ${source}
      where id = ${id} and account_id = ${accountId}`.execute(gateway.db)
    t.is((await get(`/api/projects/${id}`)).statusCode, 500)
  }
  t.is((await get(`/api/projects/${one}`)).statusCode, 200)
})
