import { fileURLToPath } from 'node:url'
import {
  type Client,
  credentials,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import test from 'ava'
import { NodeServiceClient, NodeServiceService } from '../../proto/gen/farm/v1/node.ts'

/**
 * Tests the .proto file, read at run time, against the generated code: each call uses one of them
 * on either side. Messages must arrive unchanged.
 */
const definition = loadSync(
  fileURLToPath(new URL('../../proto/farm/v1/node.proto', import.meta.url)),
  {
    includeDirs: [fileURLToPath(new URL('../../proto', import.meta.url))],
    defaults: true,
    arrays: true,
    longs: Number,
    enums: String,
  },
)
const loaded = definition['farm.v1.NodeService'] as ServiceDefinition

type Method = keyof typeof samples

const progress = {
  taskId: 't-1',
  attempt: 4_000_000_000,
  framesDone: 12,
  previews: 1,
  written: ['segment-0'],
  log: { from: 3, lines: ['{"msg":"segment begun"}', ''] },
}
const usage = { cpu: 0.25, memoryUsedMb: 1_000, memoryMb: 4_000, diskUsedMb: 5_000, diskMb: 90_000 }
const grant = { name: 'segment-0', url: 'http://127.0.0.1/objects/a?expires=1&method=PUT' }
/** A Struct with every JSON type, nested, with text beyond ASCII. */
const struct = {
  text: 'Grüße 😀',
  number: -1.5,
  large: 1e15,
  flag: false,
  nothing: null,
  list: [1, 'two', [3], { four: 4 }],
  empty: {},
}

const samples = {
  register: {
    request: {
      nodeId: 'n-1',
      name: 'node',
      offer: {
        kinds: ['render', 'bake'],
        slots: 3,
        encoders: ['libx264'],
        canvas: 'napi',
        device: 'cpu',
        pool: 'main',
        tags: ['a', ''],
        memoryMb: 16_000,
        encoderSessions: 8,
        lanes: 2,
        gpuMemoryMb: 80_000,
      },
      version: '1',
    },
    response: { leaseMs: 15_000, renewMs: 5_000 },
  },
  lease: {
    request: { nodeId: 'n-1', slots: 2, waitMs: 20_000, usage },
    response: {
      tasks: [
        {
          id: 't-1',
          attempt: 2,
          kind: 'render',
          jobId: 'j-1',
          accountId: 'a-1',
          slots: 0.125,
          spec: struct,
          inputs: [grant, { name: 'b', url: '' }],
          outputs: [grant],
        },
      ],
    },
  },
  renew: {
    request: { nodeId: 'n-1', tasks: [progress], pause: 'disk full', usage },
    response: {
      stop: [{ taskId: 't-1', attempt: 1, reason: 'cancelled' }],
      wanted: [{ taskId: 't-1', attempt: 1, segments: [7, 8] }],
      followed: [{ taskId: 't-1', attempt: 1, lines: 12 }],
    },
  },
  complete: {
    request: { nodeId: 'n-1', taskId: 't-1', attempt: 1, result: struct },
    response: {},
  },
  fail: {
    request: {
      nodeId: 'n-1',
      taskId: 't-1',
      attempt: 1,
      code: 'internal',
      message: 'It broke.',
      field: 'scenes[0]',
      logTail: 'a\nb',
      triesMax: 5,
      refused: true,
      retryAfterMs: 1000,
    },
    response: { retried: true },
  },
  drain: { request: { nodeId: 'n-1', handedBack: [progress] }, response: {} },
  renewCertificate: {
    request: { nodeId: 'n-1', certificateRequest: Buffer.from([0, 48, 255]) },
    response: { certificate: 'a certificate', token: 'a token', expiresAt: 1_900_000_000 },
  },
}

/** proto-loader leaves a Struct in its wire shape; these convert to the plain value and back. */
type Value = { readonly [kind: string]: unknown }

function wrap(value: unknown): Value {
  if (value === null) return { nullValue: 'NULL_VALUE' }
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return { numberValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Array.isArray(value)) return { listValue: { values: value.map(wrap) } }
  return { structValue: wrapStruct(value as object) }
}

function wrapStruct(value: object) {
  return { fields: Object.fromEntries(Object.entries(value).map(([k, v]) => [k, wrap(v)])) }
}

/** Converts one of our messages to proto-loader's shape. */
function toLoaded(message: object): object {
  return mapStructs(message, wrapStruct)
}

function mapStructs(message: object, map: (value: object) => object): object {
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => {
      if (name === 'spec' || name === 'result') return [name, map(value)]
      if (name === 'tasks') return [name, value.map((task: object) => mapStructs(task, map))]
      return [name, value]
    }),
  )
}

async function serve(service: ServiceDefinition, implementation: UntypedServiceImplementation) {
  const server = new Server()
  server.addService(service, implementation)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() }
}

function methods(answer: (method: Method, request: object) => object) {
  return Object.fromEntries(
    (Object.keys(samples) as Method[]).map((method) => [
      method,
      (call: { request: object }, reply: (error: null, value: object) => void) =>
        reply(null, answer(method, call.request)),
    ]),
  )
}

async function callAll(client: Client, map: (message: object) => object) {
  const answers: Record<string, unknown> = {}
  for (const [method, { request }] of Object.entries(samples)) {
    const call = (client as unknown as Record<string, (...args: unknown[]) => void>)[method]
    answers[method] = await new Promise((resolve, reject) => {
      call?.call(client, map(request), (error: Error | null, value: unknown) =>
        error ? reject(error) : resolve(value),
      )
    })
  }
  client.close()
  return answers
}

test('a generated client and a .proto-read server understand each other', async (t) => {
  const seen: Record<string, object> = {}
  const { address, stop } = await serve(
    loaded,
    methods((method, request) => {
      seen[method] = request
      return toLoaded(samples[method].response)
    }),
  )
  const client = new NodeServiceClient(address, credentials.createInsecure())
  const answers = await callAll(client as unknown as Client, (message) => message)
  stop()
  for (const method of Object.keys(samples) as Method[]) {
    t.like(seen[method], toLoaded(samples[method].request), method)
    t.deepEqual(answers[method], samples[method].response, method)
  }
})

test('a .proto-read client and a generated server understand each other', async (t) => {
  const seen: Record<string, object> = {}
  const { address, stop } = await serve(
    NodeServiceService,
    methods((method, request) => {
      seen[method] = request
      return samples[method].response
    }),
  )
  const farm = loadPackageDefinition(definition).farm as unknown as {
    v1: { NodeService: new (address: string, credentials: unknown) => Client }
  }
  const client = new farm.v1.NodeService(address, credentials.createInsecure())
  const answers = await callAll(client, toLoaded)
  stop()
  for (const method of Object.keys(samples) as Method[]) {
    t.deepEqual(seen[method], samples[method].request, method)
    const sent = toLoaded(samples[method].response)
    if (Object.keys(sent).length === 0) t.deepEqual(answers[method], sent, method)
    else t.like(answers[method], sent, method)
  }
})

test('both know the same methods and paths', (t) => {
  const pathsOf = (service: ServiceDefinition) =>
    Object.values(service)
      .map(({ path }) => path)
      .sort()
  t.deepEqual(pathsOf(NodeServiceService as unknown as ServiceDefinition), pathsOf(loaded))
  t.is(Object.keys(samples).length, pathsOf(loaded).length)
})
