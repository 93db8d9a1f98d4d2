import test from 'ava'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, renderPath, startGateway } from '../gateway.ts'
import { connect, listen } from './host.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

async function host() {
  const customer = await gateway.customer()
  return { ...customer, ...(await connect(url, { headers: { 'x-api-key': customer.key } })) }
}

test('a part of the language reads as get_schema says it', async (t) => {
  const { client, call } = await host()
  const { contents } = await client.readResource({ uri: 'farm://schema/text' })
  const [part] = contents as { mimeType: string; text: string }[]
  t.is(part?.mimeType, 'text/markdown')
  t.regex(part?.text ?? '', /^TEXT, in .*\n[\s\S]*- html: [\s\S]*\nExample: \{/)
  t.is(part?.text, (await call('get_schema', { part: 'TEXT' })).text)
})

test('the address of an unknown resource is refused with what exists', async (t) => {
  const { client } = await host()
  const error = await t.throwsAsync(client.readResource({ uri: 'farm://schema/shader' }))
  t.is((error as { code?: number }).code, -32602)
  t.regex(error?.message ?? '', /part must be one of IMAGE.*Got "shader"/)
})

test('listed guidelines describe the way to a film', async (t) => {
  const { client } = await host()
  const { resources } = await client.listResources()
  t.deepEqual(
    resources.map(({ uri }) => uri),
    ['farm://guidelines'],
  )
  const { contents } = await client.readResource({ uri: 'farm://guidelines' })
  t.regex(JSON.stringify(contents), /quote_render fixes the price/)
})

test('a render reads as its state and, once there, thumbnail', async (t) => {
  const { client, post, accountId } = await host()
  const { resourceTemplates } = await client.listResourceTemplates()
  t.true(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'farm://render/{id}'))
  const { jobId } = (await post(renderPath, { payload: film })).json()
  const uri = `farm://render/${jobId}`
  const queued = (await client.readResource({ uri })).contents as Content[]
  t.is(queued.length, 1)
  t.like(JSON.parse(queued[0]?.text ?? ''), { id: jobId, state: 'queued' })

  const picture = Buffer.from('the picture')
  await gateway.objects.put('accounts/a/small', picture)
  const links = { url: 'https://example.com/o', thumbnailUrl: null }
  const result = { duration: 2, size: 9, width: 320, height: 180, format: 'mp4' as const }
  const keys = { outputKey: 'accounts/a/film', thumbnailKey: 'accounts/a/small', links }
  const settlement = { to: 'completed' as const, result, ...keys, charge: 2 }
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
  await settleJob(gateway.db, { accountId, jobId, reason: 'test', settlement })
  const [state, thumbnail] = (await client.readResource({ uri })).contents as Content[]
  t.like(JSON.parse(state?.text ?? ''), { state: 'completed', size: '320x180' })
  t.like(thumbnail, { uri: `${uri}#thumbnail`, mimeType: 'image/jpeg' })
  t.is(thumbnail?.blob, picture.toString('base64'))
})

type Content = { uri: string; mimeType: string; text?: string; blob?: string }

test('another account’s render is no resource', async (t) => {
  const { post } = await gateway.customer()
  const { jobId } = (await post(renderPath, { payload: film })).json()
  const { client } = await host()
  const error = await t.throwsAsync(client.readResource({ uri: `farm://render/${jobId}` }))
  t.regex(error?.message ?? '', /not_found/)
})
