import { type Client, credentials, loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import test from 'ava'
import { protoPath } from 'grpc-health-check'
import { serveHealth } from '../../../worker/agent/health.ts'

type Health = Client & {
  check(request: object, reply: (error: Error | null, answer: { status: string }) => void): void
}

test('a node says by grpc.health.v1 whether it works for the farm', async (t) => {
  const health = await serveHealth({ host: '127.0.0.1', port: 0 })
  t.teardown(health.stop)
  const loaded = loadPackageDefinition(loadSync(protoPath, { enums: String })) as never as {
    grpc: { health: { v1: { Health: new (address: string, creds: unknown) => Health } } }
  }
  const address = `127.0.0.1:${health.port}`
  const client = new loaded.grpc.health.v1.Health(address, credentials.createInsecure())
  t.teardown(() => client.close())
  const ask = () =>
    new Promise<string>((resolve, reject) =>
      client.check({ service: '' }, (error, answer) =>
        error ? reject(error) : resolve(answer.status),
      ),
    )
  t.is(await ask(), 'NOT_SERVING')
  health.set(true)
  t.is(await ask(), 'SERVING')
  health.set(false)
  t.is(await ask(), 'NOT_SERVING')
})
