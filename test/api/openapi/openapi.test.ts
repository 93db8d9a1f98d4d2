import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import test from 'ava'
import { withDefaults } from '../../../api/oauth/consent-settings.ts'
import { exampleRequests } from '../../../api/openapi/example-requests.ts'
import { insertAgentGrant } from '../../../store/db/agents/insert-agent-grant.ts'
import { bearer, call, signIn } from '../accounts.ts'
import { bulkPath } from '../bulks/submitted-bulk.ts'
import { renderPath, requestOf, startGateway } from '../gateway.ts'

type Media = { readonly schema: object; readonly example?: unknown }
type Body = { readonly content?: Readonly<Record<string, Media>> }
type Operation = {
  readonly description?: string
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const readDocument = async () => (await gateway.server.inject('/openapi.json')).json()

const operations = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  )

/** Validates examples by the schemas beside them. */
function judgeOf(document: object) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  return ({ schema, example }: Media): string | undefined => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))
    return ajv.validate(absolute, example) ? undefined : ajv.errorsText()
  }
}

/** A schema is its own best example. */
const withoutAnswer = ['GET /api/render/schema', 'GET /api/render/schema/api-key']

test('every operation is described and shows a request and an answer body', async (t) => {
  const document = await readDocument()
  const faultOf = judgeOf(document)
  for (const [name, operation] of operations(document.paths)) {
    const { description, requestBody, responses } = operation
    t.truthy(description, `${name} has no description`)
    const [, answer] = Object.entries(responses).find(([status]) => /^2/.test(status)) ?? []
    for (const { content = {} } of [requestBody ?? {}, answer ?? {}]) {
      const media = content['application/json']
      if (media === undefined || withoutAnswer.includes(name)) continue
      t.not(media.example, undefined, `${name} must have an example`)
      t.is(faultOf(media), undefined, name)
    }
  }
})

test('every published example can be sent as it stands', async (t) => {
  const { paths } = await readDocument()
  const { accountId, key, post } = await gateway.customer(1000)
  const { jobId } = (await post(renderPath, requestOf())).json()
  await post(`/api/jobs/${jobId}/cancel`)
  const submitted = await post(bulkPath, exampleRequests[`POST ${bulkPath}`])
  const { bulkId } = submitted.json()
  await post(`/api/render/bulk/${bulkId}/cancel`)
  const { accessToken, userId = '' } = await signIn(gateway, accountId)
  const client = { clientId: 'client', clientName: 'Claude', redirectHost: 'claude.ai' }
  const consent = { accountId, userId, ...client, ...withDefaults({}) }
  const { id: grantId } = await insertAgentGrant(gateway.db, consent)
  const made = new Map([
    ['agent-connections', grantId],
    ['jobs', jobId],
    ['render', bulkId],
  ])
  for (const [name, body] of Object.entries(exampleRequests)) {
    if (name.includes('/api/auth/')) continue
    const [method = '', path = ''] = name.split(' ')
    const [, room = ''] = /^\/api\/([\w-]+)/.exec(path) ?? []
    const url = path.replace('{id}', made.get(room) ?? '')
    const takesKey = paths[path][method.toLowerCase()].security.some(
      (each: object) => 'key' in each,
    )
    const headers = takesKey ? { 'x-api-key': key } : bearer(accessToken)
    const reply = await call(gateway, method as 'POST', url, { body, headers })
    t.true(reply.statusCode < 300, `${name}: ${reply.body}`)
    const { id, apiKey } = reply.json()
    const madeId = apiKey?.id ?? id
    if (madeId && method === 'POST' && !path.includes('{id}')) made.set(room, madeId)
  }
})

test('the document names the public address and the requests that webhooks get', async (t) => {
  const document = await readDocument()
  const faultOf = judgeOf(document)
  t.deepEqual(document.servers, [{ url: 'https://farm.example.com' }])
  const webhooks = operations(document.webhooks)
  t.deepEqual(
    webhooks.map(([name]) => name),
    ['POST render.completed', 'POST render.failed'],
  )
  for (const [name, { requestBody }] of webhooks) {
    const media = requestBody?.content?.['application/json']
    t.is(media && faultOf(media), undefined, name)
  }
})
