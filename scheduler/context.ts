import type {
  RenewCertificateRequest,
  RenewCertificateResponse,
} from '../proto/gen/farm/v1/node.ts'
import type { Log } from '../runtime/log.ts'
import { noTracing, type Tracing } from '../runtime/tracing/tracing.ts'
import { type Db, openDatabase } from '../store/db/database.ts'
import { listen } from '../store/db/listen.ts'
import type { TasksQueued } from '../store/db/queue/notify-queued-tasks.ts'
import { openObjectStore } from '../store/objects/open.ts'
import type { SchedulerConfig } from './config.ts'
import { createSchedulerMetrics, type SchedulerMetrics } from './metrics.ts'
import { type CallBatches, createCallBatches } from './queue/call-batches.ts'
import { LongPollWaiters } from './queue/long-poll-waiters.ts'
import { type Admission, admitByCertificate, admitByToken } from './rpc/admission.ts'

/** Dependencies of every call of the service. */
export type SchedulerContext = {
  readonly db: Db
  readonly batches: CallBatches
  readonly log: Log
  readonly waiters: LongPollWaiters
  /** Calls back whenever tasks may have been queued. @returns a function that ends it */
  readonly onQueued: (heard: () => void) => () => void
  readonly metrics: SchedulerMetrics
  readonly tracing: Tracing
  readonly signer: Signer
  readonly admission: Admission
  /** Absent: this scheduler enrols no nodes. */
  readonly enrolment?: Renewing | undefined
}

/** Renews the certificates of enrolled machines (enrolment/enrol.ts). */
type Renewing = {
  renew(request: RenewCertificateRequest): Promise<RenewCertificateResponse>
}

/** Signs the URLs that a lease carries. */
export type Signer = {
  signGet(key: string, options: { readonly seconds: number }): Promise<string>
  signPut(key: string, options: { readonly seconds: number }): Promise<string>
}

const maxWaitingPolls = 10_000

export function openContext(
  config: SchedulerConfig,
  log: Log,
  tracing: Tracing = noTracing,
): { readonly context: SchedulerContext; close(): Promise<void> } {
  const { databaseUrl: url, objects, publicUrl, secret, nodeToken, tls } = config
  const db = openDatabase({ url, log, prepared: true })
  const waiters = new LongPollWaiters({ maxWaiting: maxWaitingPolls })
  const listeners = new Set<() => void>()
  const metrics = createSchedulerMetrics({ waitingPolls: () => waiters.waiting })
  const stopListening = listen({
    url,
    channel: 'tasks',
    log,
    onNotify: (payload) => {
      // A farm that is being upgraded may use another format.
      if (!payload?.startsWith('{')) waiters.wakeAll()
      else waiters.notify(JSON.parse(payload) as TasksQueued)
      for (const heard of listeners) heard()
    },
  })
  const admission = tls ? admitByCertificate(db) : admitByToken(nodeToken)
  const signer = openObjectStore(objects, { publicUrl, secret })
  return {
    context: {
      db,
      batches: createCallBatches(db),
      log,
      waiters,
      onQueued(heard) {
        listeners.add(heard)
        return () => void listeners.delete(heard)
      },
      metrics,
      tracing,
      signer,
      admission,
    },
    async close() {
      await stopListening()
      await db.destroy()
    },
  }
}
