import test from 'ava'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readSealKeys } from '../../../runtime/seal.ts'
import { getProject } from '../../../store/db/projects/get-project.ts'
import { sealOldDrafts } from '../../../workflows/janitor/seal-old-drafts.ts'
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
