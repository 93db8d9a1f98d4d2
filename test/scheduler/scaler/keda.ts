import { fileURLToPath } from 'node:url'
import {
  type Client,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

/** KEDA's contract as it is read at run time: nothing of the farm's generated code. */
const proto = fileURLToPath(
  new URL('../../../proto/externalscaler/externalscaler.proto', import.meta.url),
)
const loaded = loadPackageDefinition(
  loadSync(proto, { keepCase: true, longs: Number, defaults: true, arrays: true }),
) as unknown as {
  externalscaler: { ExternalScaler: new (address: string, channel: unknown) => Client & Methods }
}

type Reply = (error: ServiceError | null, value: unknown) => void
type Methods = Record<
  'IsActive' | 'GetMetricSpec' | 'GetMetrics',
  (request: unknown, reply: Reply) => void
> & {
  StreamIsActive(request: unknown): ClientReadableStream<{ result: boolean }>
}

type Spec = { metricName: string; targetSize: number; targetSizeFloat: number }
type Value = { metricName: string; metricValue: number; metricValueFloat: number }

/** Calls a scheduler as KEDA's operator does for one ScaledObject. */
export function connectKeda(
  address: string,
  scalerMetadata: Readonly<Record<string, string>>,
  channel = credentials.createInsecure(),
) {
  const client = new loaded.externalscaler.ExternalScaler(address, channel)
  const ref = { name: 'workers', namespace: 'farm', scalerMetadata }
  const call = <T>(method: 'IsActive' | 'GetMetricSpec' | 'GetMetrics', request: unknown) =>
    new Promise<T>((resolve, reject) => {
      client[method](request, (error, value) => (error ? reject(error) : resolve(value as T)))
    })

  /** Opens the stream; `next` resolves with each answer in turn. */
  function stream() {
    const heard: boolean[] = []
    const waiting: ((result: boolean) => void)[] = []
    const calling = client.StreamIsActive(ref)
    const over = new Promise<ServiceError | undefined>((resolve) => {
      calling.on('error', resolve)
      calling.on('end', () => resolve(undefined))
    })
    calling.on('data', ({ result }) => {
      const next = waiting.shift()
      if (next) next(result)
      else heard.push(result)
    })
    return {
      over,
      next: () =>
        new Promise<boolean>((resolve) => {
          const result = heard.shift()
          if (result === undefined) waiting.push(resolve)
          else resolve(result)
        }),
      cancel: () => calling.cancel(),
    }
  }

  return {
    stream,
    isActive: async () => (await call<{ result: boolean }>('IsActive', ref)).result,
    spec: async () => (await call<{ metricSpecs: Spec[] }>('GetMetricSpec', ref)).metricSpecs,
    async values() {
      const request = { scaledObjectRef: ref, metricName: 'farm_wanted_slots' }
      return (await call<{ metricValues: Value[] }>('GetMetrics', request)).metricValues
    },
    close: () => client.close(),
  }
}
