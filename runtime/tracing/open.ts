import type { Env } from '../env.ts'
import type { Log } from '../log.ts'
import { isTraced } from './is-traced.ts'
import { noTracing, type Tracing } from './tracing.ts'

/**
 * Opens the tracing of a role. Without a collector nothing is loaded: OpenTelemetry costs a process
 * 0.2 s at its start, and 22 MB. `instance`: distinguishes it from others of its role, as in the logs.
 */
export async function openTracing(options: {
  readonly role: string
  readonly instance?: string
  readonly env: Env
  readonly log: Log
}): Promise<Tracing> {
  if (!isTraced(options.env)) return noTracing
  const { openOtlp } = await import('./otlp.ts')
  return await openOtlp(options)
}
