import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerErrorResponse,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js'
import { isScaler } from '../../core/fleet/node-identity.ts'
import type {
  ExternalScalerServer,
  GetMetricsRequest,
  IsActiveResponse,
  ScaledObjectRef,
} from '../../proto/gen/externalscaler/externalscaler.ts'
import { noteScaledPool } from '../../store/db/fleet/note-scaled-pool.ts'
import type { SchedulerContext } from '../context.ts'
import { noPool } from '../metrics.ts'
import { checkText } from '../rpc/checks.ts'
import { RpcError, toStatus } from '../rpc/unary.ts'
import type { Backlog, BacklogWatch } from './backlog-watch.ts'

const metricName = 'farm_wanted_slots'
const maxSlots = 256
const nameLength = 200
/** Interval at which a pool is noted as scaled; half of what `scaledSeconds` lets pass. */
const noteMs = 60_000
const forgetMs = 3_600_000

type AnyCall = Pick<
  ServerWritableStream<unknown, unknown>,
  'getPath' | 'getPeer' | 'getAuthContext'
>

export type ScalerOptions = {
  readonly watch: BacklogWatch
  /** Callers must show a certificate of `farm certs scaler`. */
  readonly certified: boolean
  /** Most pools that callers may name an hour. */
  readonly mostPools: number
}

/** A trigger's metadata: its pool by label, and the slots of one pod of it. */
type Trigger = { readonly pool: string; readonly slots: number }

/**
 * Serves KEDA's contract over the backlog: a pool is active while it wants slots, and its metric is
 * their number. `endStreams` ends open streams as a server that stops should: KEDA comes back at once.
 */
export function createExternalScaler(
  context: SchedulerContext,
  { watch, certified, mostPools }: ScalerOptions,
): { readonly service: ExternalScalerServer; endStreams(): void } {
  const noted = new Map<string, number>()
  const streams = new Set<() => void>()

  /** Admits the caller and reads its trigger. @throws RpcError */
  function admit(call: AnyCall, ref: ScaledObjectRef | undefined): Trigger {
    const { subjectaltname } = call.getAuthContext().sslPeerCertificate ?? {}
    if (certified && !isScaler(subjectaltname)) {
      const seen = { peer: call.getPeer(), path: call.getPath() }
      context.log.warn({ ...seen, why: 'it is no scaler' }, 'a caller was not let in')
      throw new RpcError(status.PERMISSION_DENIED, 'The certificate must be of a scaler.')
    }
    const trigger = readTrigger(ref)
    note(trigger)
    return trigger
  }

  /**
   * Notes that somebody scales the pool, so that its customers hear that machines start.
   * @throws RpcError where there are too many
   */
  function note({ pool }: Trigger): void {
    const now = performance.now()
    if (now - (noted.get(pool) ?? Number.NEGATIVE_INFINITY) < noteMs) return
    if (noted.size >= mostPools && !noted.has(pool)) {
      for (const [name, at] of noted) if (now - at > forgetMs) noted.delete(name)
      if (noted.size >= mostPools) {
        const rule = `A scaler must name at most ${mostPools} pools an hour.`
        throw new RpcError(status.RESOURCE_EXHAUSTED, rule)
      }
    }
    noted.set(pool, now)
    noteScaledPool(context.db, nameOf(pool)).catch((error: unknown) => {
      noted.delete(pool)
      context.log.warn({ err: error, pool }, 'a scaled pool could not be noted')
    })
  }

  function unary<Request, Response>(
    handle: (trigger: Trigger) => Promise<Response>,
    refOf: (request: Request) => ScaledObjectRef | undefined,
  ): handleUnaryCall<Request, Response> {
    return (call, answer) => {
      Promise.resolve()
        .then(() => handle(admit(call, refOf(call.request))))
        .then(
          (response) => answer(null, response),
          (error: unknown) => answer(toStatus(context, { path: call.getPath(), error })),
        )
    }
  }

  const streamIsActive: handleServerStreamingCall<ScaledObjectRef, IsActiveResponse> = (call) => {
    let trigger: Trigger
    try {
      trigger = admit(call, call.request)
    } catch (error) {
      call.emit('error', toStatus(context, { path: call.getPath(), error }) as ServerErrorResponse)
      return
    }
    let sent: boolean | undefined
    const unwatch = watch.watch({
      isIdle: () => sent !== true,
      see(backlog) {
        note(trigger)
        const result = wantedSlots(backlog, trigger) > 0
        if (result !== sent) call.write({ result })
        sent = result
      },
    })
    const end = () => {
      unwatch()
      streams.delete(end)
      call.end()
    }
    streams.add(end)
    call.on('cancelled', end)
  }

  const ofRef = (ref: ScaledObjectRef) => ref
  const service: ExternalScalerServer = {
    isActive: unary(
      async (trigger) => ({ result: wantedSlots(await watch.current(), trigger) > 0 }),
      ofRef,
    ),
    streamIsActive,
    getMetricSpec: unary(async ({ slots }) => {
      const spec = { metricName, targetSize: slots, targetSizeFloat: slots }
      return { metricSpecs: [spec] }
    }, ofRef),
    getMetrics: unary(
      async (trigger) => {
        const wanted = wantedSlots(await watch.current(), trigger)
        return {
          metricValues: [{ metricName, metricValue: wanted, metricValueFloat: wanted }],
        }
      },
      ({ scaledObjectRef }: GetMetricsRequest) => scaledObjectRef,
    ),
  }
  return {
    service,
    endStreams() {
      for (const end of [...streams]) end()
    },
  }
}

/** @throws RpcError */
function readTrigger(ref: ScaledObjectRef | undefined): Trigger {
  const { pool = '', slots = '' } = ref?.scalerMetadata ?? {}
  if (!/^[1-9]\d{0,2}$/.test(slots) || Number(slots) > maxSlots) {
    const rule = `slots must be those of one pod, from 1 to ${maxSlots} (FARM_SLOTS)`
    throw new RpcError(
      status.INVALID_ARGUMENT,
      `${rule}. Got ${JSON.stringify(slots).slice(0, 40)}`,
    )
  }
  return { pool: labelOf(checkText('pool', pool, nameLength)), slots: Number(slots) }
}

function labelOf(pool: string): string {
  return pool || noPool
}

function nameOf(label: string): string {
  return label === noPool ? '' : label
}

/** Slots of the pools with this label: nodes without a pool and those of one named `default` are alike. */
function wantedSlots(backlog: Backlog, { pool }: Trigger): number {
  return backlog
    .filter((each) => labelOf(each.pool) === pool)
    .reduce((sum, each) => sum + each.wantedSlots, 0)
}
