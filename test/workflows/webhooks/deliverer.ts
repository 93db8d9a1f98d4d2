import { createLog } from '../../../runtime/log.ts'
import { readConfig } from '../../../workflows/config.ts'
import { openWorkflows } from '../../../workflows/main.ts'
import { installRuntime } from '../../../workflows/worker.ts'

/** The workflows role as a process to kill; RETRY_DELAYS_MS makes its schedule short. */
const log = createLog('deliverer', 'error')
installRuntime(log)
const retryDelaysMs = String(process.env.RETRY_DELAYS_MS).split(',').map(Number)
await openWorkflows(readConfig(process.env), log, { retryDelaysMs })
console.log('ready')
