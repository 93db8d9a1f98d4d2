// Runs as a process of its own: `minimal-baseline.ts PORT DATABASE_URL TEMPORAL_ADDRESS`. The minimal
// baseline of a submission: a shape check, credits taken from an account, a ledger row and a job
// row in one transaction, and a workflow started after the answer. It checks no key, counts no
// requests and has no queue, and a failed start is lost.
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import fastify, { type FastifyRequest } from 'fastify'
import pg from 'pg'

const [port, databaseUrl, address = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const client = new Client({ connection: await Connection.connect({ address, interceptors: [] }) })
/** Starts at once, as many as in an api process. */
const atOnce = 2
const waiting: string[] = []
let starting = 0

/** Prepared once per connection. */
const submission = {
  name: 'submission',
  text: `with account as (
      update bench_accounts set credits = credits - 1 where id = $2 and credits >= 1 returning id
    ), job as (
      insert into bench_jobs (id, account_id, request) select $1::uuid, id, $3::jsonb from account
    )
    insert into bench_entries (job_id, account_id, credits) select $1::uuid, id, 1 from account`,
}
const body = {
  type: 'object',
  required: ['payload'],
  additionalProperties: false,
  properties: {
    payload: {
      type: 'object',
      required: ['width', 'height', 'duration', 'visuals'],
      additionalProperties: false,
      properties: {
        width: { type: 'integer', minimum: 1 },
        height: { type: 'integer', minimum: 1 },
        duration: { type: 'number', minimum: 0.1 },
        variables: { type: 'object' },
        visuals: {
          type: 'array',
          items: {
            type: 'object',
            required: ['type'],
            properties: {
              type: { type: 'string', enum: ['IMAGE', 'TEXT'] },
              src: { type: 'string', pattern: '^https?://' },
              exitEnd: { type: 'number', minimum: 0 },
              enterEnd: { type: 'number', minimum: 0 },
            },
          },
        },
      },
    },
  },
}
const accepted = { type: 'object', properties: { jobId: { type: 'string' } } }

const server = fastify()
server.get('/healthz', async () => ({ waiting: waiting.length + starting }))
server.post(
  '/submit',
  { schema: { body, response: { 202: accepted } } },
  async (request: FastifyRequest, reply) => {
    const jobId = randomUUID()
    const account = request.headers['x-account']
    const values = [jobId, account, JSON.stringify(request.body)]
    const { rowCount } = await pool.query({ ...submission, values })
    if (rowCount !== 1) throw new Error(`The account must have credits. Got ${account}`)
    waiting.push(jobId)
    if (starting < atOnce) void startAll()
    reply.code(202)
    return { jobId }
  },
)
await server.listen({ host: '127.0.0.1', port: Number(port) })

async function startAll(): Promise<void> {
  starting += 1
  for (let jobId = waiting.shift(); jobId; jobId = waiting.shift()) {
    const args = [{ jobId }]
    await client.workflow.start('least', { taskQueue: 'least', workflowId: jobId, args })
  }
  starting -= 1
}
