import { DiagLogLevel, diag } from '@opentelemetry/api'
import type { Log } from '../log.ts'

const quietMs = 60_000

/**
 * Logs problems of the tracing, OpenTelemetry's own included: at most once a minute, with the
 * number suppressed since.
 */
export function openDiagnostics(log: Log): (what: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  let passedOver = 0
  const say = (...what: readonly unknown[]) => {
    const now = performance.now()
    if (now - saidAt < quietMs) {
      passedOver += 1
      return
    }
    const text = what.map((each) => (each instanceof Error ? each.message : String(each))).join(' ')
    log.warn({ trouble: text.slice(0, 500), passedOver }, 'spans may be lost')
    saidAt = now
    passedOver = 0
  }
  const quiet = () => undefined
  const logger = { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  return say
}
