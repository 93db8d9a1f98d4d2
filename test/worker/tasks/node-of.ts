import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { pino } from 'pino'
import type { TaskKind } from '../../../core/queue/tasks.ts'
import type { Log } from '../../../runtime/log.ts'
import { createOnceByKey } from '../../../runtime/once-by-key.ts'
import type { RecentLines } from '../../../runtime/recent-lines.ts'
import { noTracing, type Tracing } from '../../../runtime/tracing/tracing.ts'
import { createLanes } from '../../../worker/agent/lanes.ts'
import { runTask } from '../../../worker/agent/run-task.ts'
import { createBaker } from '../../../worker/bake/baker.ts'
import { createSharedBakes } from '../../../worker/bake/shared.ts'
import type { NodeContext } from '../../../worker/context.ts'
import { DiskCache } from '../../../worker/files/disk-cache.ts'
import { frameSourceNames } from '../../../worker/frames/sources.ts'
import { createGpuDecoding } from '../../../worker/media/gpu-decoding.ts'
import { createPictureDecoders } from '../../../worker/media/picture-decoders.ts'
import { createWorkerMetrics } from '../../../worker/metrics.ts'
import { BitmapCache } from '../../../worker/paint/bounded-cache.ts'
import { openNapiCanvas } from '../../../worker/paint/napi-canvas.ts'
import { createCopies } from '../../../worker/paint/pictures.ts'
import { SurfacePools } from '../../../worker/paint/surface-pool.ts'
import { createPngs } from '../../../worker/png/index.ts'
import { createNamedPipes } from '../../../worker/process/named-pipes.ts'
import { patience } from '../bake/baking.ts'
import { sandbox, workOf } from '../encode/film-of.ts'

/** Objects over HTTP as presigned URLs serve them: GET, PUT, and `failures` on demand. */
export async function objectsOf(t: ExecutionContext) {
  const objects = new Map<string, Buffer>()
  const state = { failures: 0, puts: 0 }
  const server = createServer(async (request, response) => {
    const name = (request.url ?? '').slice(1)
    const body = await buffer(request)
    if (state.failures > 0) {
      state.failures -= 1
      return void response.writeHead(503).end()
    }
    if (request.method === 'PUT') {
      state.puts += 1
      objects.set(name, body)
      return void response.writeHead(200).end()
    }
    const object = objects.get(name)
    response.writeHead(object ? 200 : 404).end(object)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    objects,
    state,
    host,
    url: (name: string) => `http://${host}/${name}`,
    /** Stores bytes under their digest, which it returns. */
    add(bytes: Buffer): string {
      const digest = createHash('sha256').update(bytes).digest('hex')
      objects.set(digest, bytes)
      return digest
    },
  }
}

export type Objects = Awaited<ReturnType<typeof objectsOf>>

/** A node with real parts and empty caches. */
export async function nodeOf(
  t: ExecutionContext,
  {
    lanes = 2,
    trustedHosts = [],
    frameSources = frameSourceNames,
    tracing = noTracing,
    log = pino({ level: 'silent' }),
  }: {
    lanes?: number
    trustedHosts?: string[]
    frameSources?: readonly string[]
    tracing?: Tracing
    log?: Log
  } = {},
) {
  const { dir } = await workOf(t)
  const baker = createBaker({ log, dataDir: dir, limitMs: patience })
  t.teardown(() => baker.close())
  const decoders = await createPictureDecoders({
    sandbox,
    dataDir: dir,
    log,
    atOnce: lanes,
    spares: 0,
  })
  t.teardown(() => decoders.close())
  const canvas = openNapiCanvas()
  const pngs = createPngs(2)
  t.teardown(() => pngs.close())
  const node: NodeContext = {
    log,
    sandbox,
    decoders,
    canvas,
    frameSources,
    pipes: createNamedPipes(join(dir, 'pipes')),
    baker,
    sharedBakes: createSharedBakes(baker),
    trustedHosts,
    originals: new DiskCache({ dir: join(dir, 'originals'), limitBytes: 2 ** 30 }),
    pixels: new DiskCache({ dir: join(dir, 'pixels'), limitBytes: 2 ** 30 }),
    bitmaps: new BitmapCache(2 ** 26),
    surfaces: new SurfacePools(canvas),
    pngs,
    copies: createCopies(),
    lanes: createLanes(lanes),
    inspections: createOnceByKey(),
    clipHeaders: createOnceByKey(),
    gpuDecoding: createGpuDecoding('off', { sandbox, log }),
    metrics: createWorkerMetrics(),
    tracing,
  }
  return { node, workDir: join(dir, 'work') }
}

let tasks = 0

/** Runs a task with all objects as inputs, and outputs named `<prefix><name>`. */
export async function runOn(
  { node, workDir }: Awaited<ReturnType<typeof nodeOf>>,
  objects: Objects,
  {
    kind,
    spec,
    outputs,
    prefix = '',
    inputs = {},
    accountId = 'account',
    signal = new AbortController().signal,
    onProgress,
    wanted = () => [],
    isFollowed = false,
  }: {
    kind: TaskKind
    spec: Record<string, unknown>
    outputs: string[]
    prefix?: string
    /** Objects with other names in this task. */
    inputs?: Record<string, string>
    accountId?: string
    signal?: AbortSignal
    onProgress?: () => void
    /** Segments that a player waits for. */
    wanted?: () => readonly number[]
    /** An operator follows its log. */
    isFollowed?: boolean
  },
) {
  let frames = 0
  const written: string[] = []
  let previews = 0
  tasks += 1
  const names = { ...Object.fromEntries([...objects.objects.keys()].map((n) => [n, n])), ...inputs }
  const task = {
    id: `task-${tasks}`,
    attempt: 1,
    kind,
    jobId: 'job',
    accountId,
    slots: 1,
    spec,
    inputs: Object.entries(names).map(([name, object]) => ({ name, url: objects.url(object) })),
    outputs: outputs.map((name) => ({ name, url: objects.url(prefix + name) })),
  }
  const progress = (more: number) => {
    frames += more
    onProgress?.()
  }
  const previewed = () => {
    previews += 1
  }
  const reports = { progress, previewed, written: (name: string) => written.push(name) }
  let log: RecentLines | undefined
  const follow = (lines: RecentLines) => {
    log = lines
    return { isFollowed }
  }
  const outcome = await runTask(task, { node, workDir, signal, ...reports, wanted, follow })
  /** Lines that followers have seen by the end. */
  const followed = log?.since(0, Number.POSITIVE_INFINITY).lines ?? []
  return { outcome, frames, previews, written, followed }
}
