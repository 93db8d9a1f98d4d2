import type { Env } from '../runtime/env.ts'
import { stopOnSignal } from '../runtime/lifecycle.ts'
import { createLog } from '../runtime/log.ts'
import { readConfig } from './config.ts'
import { openContext } from './context.ts'
import { serve } from './serve.ts'

/** The role `farm scheduler`: runs until it is told to stop. @throws EnvError */
export async function startScheduler(env: Env): Promise<void> {
  const log = createLog('scheduler')
  const config = readConfig(env)
  const { context, close } = openContext(config, log)
  const { port, stop } = await serve(context, config)
  stopOnSignal({ log, stops: [close, stop] })
  log.info({ host: config.host, port }, 'ready')
}
