import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, credentials, loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import test from 'ava'
import { protoPath } from 'grpc-health-check'
import { readConfig } from '../../scheduler/config.ts'
import { openContext } from '../../scheduler/context.ts'
import { serve } from '../../scheduler/serve.ts'
import { silent } from '../store/database.ts'

type Health = Client & {
  check(request: object, reply: (error: Error | null, answer: { status: string }) => void): void
}

test('a scheduler whose database is away lives and does not serve', async (t) => {
  const config = readConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    FARM_SCHEDULER_PORT: '0',
    FARM_OBJECTS: 'file:/tmp',
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
  })
  const { context, close } = openContext(config, silent)
  const { port, stop } = await serve(context, config)
  t.teardown(close)
  t.teardown(stop)
  const loaded = loadPackageDefinition(loadSync(protoPath, { enums: String })) as never as {
    grpc: { health: { v1: { Health: new (address: string, creds: unknown) => Health } } }
  }
  const client = new loaded.grpc.health.v1.Health(`127.0.0.1:${port}`, credentials.createInsecure())
  t.teardown(() => client.close())
  const ask = (service: string) =>
    new Promise<string>((resolve, reject) =>
      client.check({ service }, (error, answer) =>
        error ? reject(error) : resolve(answer.status),
      ),
    )
  const deadline = Date.now() + 20_000
  while ((await ask('farm.v1.NodeService')) === 'SERVING' && Date.now() < deadline) await sleep(50)
  t.is(await ask('farm.v1.NodeService'), 'NOT_SERVING')
  t.is(await ask(''), 'SERVING')
})
