import type { AddressInfo } from 'node:net'
import type { Env } from '../runtime/env.ts'
import { stopOnSignal } from '../runtime/lifecycle.ts'
import { createLog } from '../runtime/log.ts'
import { serveMetrics } from '../runtime/metrics-server.ts'
import { keepFilesPrivate } from '../runtime/private-files.ts'
import { openTracing } from '../runtime/tracing/open.ts'
import { knownMigrations } from '../store/db/migrate.ts'
import { checkSchema, waitForSchema } from '../store/db/schema-state.ts'
import { type ApiConfig, readConfig } from './config.ts'
import { type GatewayContext, openContext } from './context.ts'
import { createOperatorServer, createServer } from './server.ts'

/** Runs the role `farm api` until it is stopped. @throws EnvError */
export async function startApi(env: Env): Promise<void> {
  keepFilesPrivate(env)
  const log = createLog('api')
  const config = readConfig(env)
  const tracing = await openTracing({ role: 'api', env, log })
  const { context, close } = openContext(config, log, tracing)
  const server = await createServer(context)
  const watched = await serveMetrics(config.metricsAddress, {
    metrics: context.metrics.registry,
    ready: () => checkSchema(context.db, knownMigrations),
  })
  await waitForSchema({ db: context.db, known: knownMigrations, log })
  await server.listen({ host: config.host, port: config.port })
  const operators = await listenToOperators(config, context)
  const stops = [watched.stop, tracing.stop, close, operators, () => server.close()]
  stopOnSignal({ log, stops })
  const { port } = server.server.address() as AddressInfo
  const { host, publicUrl: url } = config
  log.info({ host, port, url, metricsPort: watched.port }, 'ready')
}

/** Starts the operators' own listener where one is set. @returns a function that stops it */
async function listenToOperators(
  { operatorApi }: ApiConfig,
  context: GatewayContext,
): Promise<() => Promise<void>> {
  if (typeof operatorApi === 'string') return async () => undefined
  const server = await createOperatorServer(context)
  await server.listen(operatorApi)
  const { port } = server.server.address() as AddressInfo
  context.log.info({ host: operatorApi.host, port }, 'ready for operators')
  return async () => await server.close()
}
