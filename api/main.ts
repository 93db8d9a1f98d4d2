import type { AddressInfo } from 'node:net'
import type { Env } from '../runtime/env.ts'
import { stopOnSignal } from '../runtime/lifecycle.ts'
import { createLog } from '../runtime/log.ts'
import { readConfig } from './config.ts'
import { openContext } from './context.ts'
import { createServer } from './server.ts'

/** The role `farm api`: runs until it is told to stop. @throws EnvError */
export async function startApi(env: Env): Promise<void> {
  const log = createLog('api')
  const config = readConfig(env)
  const { context, close } = openContext(config, log)
  const server = await createServer(context)
  await server.listen({ host: config.host, port: config.port })
  stopOnSignal({ log, stops: [close, () => server.close()] })
  const { port } = server.server.address() as AddressInfo
  log.info({ host: config.host, port, url: config.publicUrl }, 'ready')
}
