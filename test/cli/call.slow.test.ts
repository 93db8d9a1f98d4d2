import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { freePorts } from '../../infra/local/ports.ts'
import { completeJob } from '../api/bulks/submitted-bulk.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../api/gateway.ts'
import { farm, newFolder } from './run-farm.ts'

const folder = newFolder()
let gateway: Gateway
let url: string

test.before(async () => {
  const port = (await freePorts(1))[0] ?? 0
  url = `http://127.0.0.1:${port}`
  gateway = await startGateway({ publicUrl: url })
  await gateway.server.listen({ port, host: '127.0.0.1' })
})
test.after.always(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function caller() {
  const customer = await gateway.customer(100)
  const env = { FARM_URL: url, FARM_API_KEY: customer.key }
  const call = (...args: string[]) => farm(['call', ...args], { cwd: folder, env })
  return { ...customer, call }
}

test('any request is sent, and its answer is indented JSON', async (t) => {
  const { call, post } = await caller()
  const { jobId } = (await post(renderPath, requestOf())).json()
  const listed = await call('GET', '/api/jobs?state=queued')
  t.is(JSON.parse(listed.out).jobs[0].id, jobId, listed.err)
  t.regex(listed.out, /^\{\n {2}"/)
  t.is((await call('POST', `/api/jobs/${jobId}/cancel`)).code, 0)
  t.is(JSON.parse((await call('GET', `/api/jobs/${jobId}`)).out).state, 'cancelled')
})

test('a body is given on the line or by a file', async (t) => {
  const { call } = await caller()
  const template = { name: 'Card', payload: requestOf().payload }
  writeFileSync(join(folder, 'card.json'), JSON.stringify(template))
  const made = await call('POST', '/api/templates', '-d', '@card.json')
  const { id } = JSON.parse(made.out)
  const renamed = JSON.stringify({ ...template, name: 'Card 2' })
  t.is((await call('PUT', `/api/templates/${id}`, '-d', renamed)).code, 0)
  t.is(JSON.parse((await call('GET', `/api/templates/${id}`)).out).name, 'Card 2')
})

test('answers and linked files are saved', async (t) => {
  const { call, post, accountId } = await caller()
  t.is((await call('GET', '/api/credits/transactions.csv', '-o', 'ledger.csv')).code, 0)
  t.regex(readFileSync(join(folder, 'ledger.csv'), 'utf8'), /^"id","createdAt"/)
  const { jobId } = (await post(renderPath, requestOf())).json()
  await gateway.objects.put('accounts/a/output', Buffer.from('a film'))
  await completeJob(gateway, { accountId, jobId })
  const saved = await call('GET', `/api/jobs/${jobId}`, '--save', 'downloadUrl')
  t.is(saved.code, 0, saved.err)
  t.regex(saved.out, /^[\w-]+\.mp4\n$/)
  t.is(readFileSync(join(folder, saved.out.trim()), 'utf8'), 'a film')
})

test('a refusal names each fault, and wrong words the right ones', async (t) => {
  const { call } = await caller()
  const payload = { width: -1, height: 180, duration: 1 }
  const refused = await call('POST', renderPath, '-d', JSON.stringify({ payload }))
  t.is(refused.code, 1)
  t.regex(refused.err, /^farm: .+\n {2}width: .+-1/)
  t.is(refused.out, '')
  const unknown = await call('GET', '/api/jobs/00000000-0000-4000-8000-000000000001')
  t.is(unknown.code, 1)
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['FETCH', '/api/jobs'], /Allowed choices are GET, POST, PUT, PATCH, DELETE/],
    [['GET', 'api/jobs'], /must be a path such as/],
    [['GET', '/api/a b'], /must be a path such as/],
    [['POST', '/api/templates', '-d', '{'], /--data must be JSON, @FILE or @-/],
    [['POST', '/api/templates', '-d', '@nothing.json'], /nothing\.json must be a file/],
    [['GET', '/api/jobs', '--save', 'downloadUrl'], /downloadUrl must be an address in the answer/],
  ]
  for (const [args, words] of cases) {
    const { code, err } = await call(...args)
    t.is(code, 2, args.join(' '))
    t.regex(err, words)
  }
})

test('a person’s token is sent in place of the key', async (t) => {
  const env = { FARM_URL: url, FARM_API_KEY: '', FARM_ACCESS_TOKEN: 'nobody' }
  const refused = await farm(['call', 'GET', '/api/auth/sessions'], { cwd: folder, env })
  t.is(refused.code, 1)
  t.regex(refused.err, /token/)
  const nowhere = await farm(['call', 'GET', '/api/jobs'], { cwd: folder, env: { FARM_URL: '' } })
  t.is(nowhere.code, 2)
  t.regex(nowhere.err, /FARM_URL must name the farm/)
})
