import test from 'ava'
import { type Gateway, startGateway } from '../gateway.ts'
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

test('a part of the language reads the same as resource and by get_schema', async (t) => {
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

test('guidelines are listed as a resource and describe the way to a film', async (t) => {
  const { client } = await host()
  const { resources } = await client.listResources()
  t.deepEqual(
    resources.map(({ uri }) => uri),
    ['farm://guidelines'],
  )
  const { contents } = await client.readResource({ uri: 'farm://guidelines' })
  t.regex(JSON.stringify(contents), /quote_render fixes the price/)
})
