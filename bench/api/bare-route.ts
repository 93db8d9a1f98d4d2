// Runs as a process of its own: `bare-route.ts PORT DATABASE_URL`. A Fastify route that only
// inserts its body: no gateway over this server and database can be faster.
import { randomUUID } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'

const [port, databaseUrl] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const server = fastify()
server.get('/healthz', async () => ({ status: 'ok' }))
server.post('/insert', async (request, reply) => {
  const id = randomUUID()
  await pool.query('insert into bench_requests (id, request) values ($1, $2)', [
    id,
    JSON.stringify(request.body),
  ])
  reply.code(202)
  return { id }
})
await server.listen({ host: '127.0.0.1', port: Number(port) })
