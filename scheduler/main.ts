import { addCertificateLife } from '../runtime/certificate-metrics.ts'
import type { Env } from '../runtime/env.ts'
import { stopOnSignal } from '../runtime/lifecycle.ts'
import { createLog } from '../runtime/log.ts'
import { serveMetrics } from '../runtime/metrics-server.ts'
import { keepFilesPrivate } from '../runtime/private-files.ts'
import { openTracing } from '../runtime/tracing/open.ts'
import { knownMigrations } from '../store/db/migrate.ts'
import { checkSchema, waitForSchema } from '../store/db/schema-state.ts'
import { readConfig } from './config.ts'
import { openContext } from './context.ts'
import { openEnrolment } from './enrolment/open.ts'
import { serveEnrolment } from './enrolment/serve-enrolment.ts'
import { addFleetMetrics } from './fleet/fleet-metrics.ts'
import { serveScaler } from './scaler/serve-scaler.ts'
import { serve } from './serve.ts'

/** Runs the role `farm scheduler` until it is stopped. @throws EnvError */
export async function startScheduler(env: Env): Promise<void> {
  keepFilesPrivate(env)
  const log = createLog('scheduler')
  const config = readConfig(env)
  const tracing = await openTracing({ role: 'scheduler', env, log })
  const { context: opened, close } = openContext(config, log, tracing)
  const enrolment = config.enrolment && (await openEnrolment(opened.db, config.enrolment))
  const context = { ...opened, enrolment }
  const { db, metrics } = context
  const { registry, pools } = metrics
  addFleetMetrics(registry, { db, log, pools })
  addCertificateLife(registry, () => config.tls?.cert)
  const watched = await serveMetrics(config.metricsAddress, {
    metrics: registry,
    ready: () => checkSchema(db, knownMigrations),
  })
  await waitForSchema({ db, known: knownMigrations, log })
  const { scalerAddress: address, tls } = config
  const scaler = address && (await serveScaler(context, { address, tls }))
  const enrolling =
    config.enrolment &&
    enrolment &&
    (await serveEnrolment(context, { ...config.enrolment, enrolment }))
  // Last: a node that joins finds a scheduler that has every port it needs.
  const { port, stop } = await serve(context, config)
  const stops = [
    ...[watched.stop, tracing.stop, close, stop],
    ...[() => scaler?.stop(), () => enrolling?.stop()],
  ]
  stopOnSignal({ log, stops })
  const ports = {
    ...{ port, metricsPort: watched.port },
    ...{ scalerPort: scaler?.port, enrolmentPort: enrolling?.port },
  }
  log.info({ host: config.host, ...ports }, 'ready')
}
