import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { engineVersion } from '../core/engine.ts'
import { addCertificateLife } from '../runtime/certificate-metrics.ts'
import { collectNow } from '../runtime/collector.ts'
import { countCores } from '../runtime/cores.ts'
import type { Env } from '../runtime/env.ts'
import { stopOnSignal } from '../runtime/lifecycle.ts'
import { createLog, type Log } from '../runtime/log.ts'
import { createUsageReader } from '../runtime/machine-usage.ts'
import { serveMetrics } from '../runtime/metrics-server.ts'
import { trimNativeHeap } from '../runtime/native-heap.ts'
import { createOnceByKey } from '../runtime/once-by-key.ts'
import { keepFilesPrivate } from '../runtime/private-files.ts'
import { openTracing } from '../runtime/tracing/open.ts'
import type { Tracing } from '../runtime/tracing/tracing.ts'
import { Agent } from './agent/agent.ts'
import { serveHealth } from './agent/health.ts'
import { createLanes } from './agent/lanes.ts'
import { makeOffer } from './agent/offer.ts'
import { runTask } from './agent/run-task.ts'
import { connectScheduler } from './agent/scheduler-client.ts'
import { createBaker } from './bake/baker.ts'
import { createSharedBakes } from './bake/shared.ts'
import { graceMsOf, lanesOf, readConfig, type WorkerConfig } from './config.ts'
import type { NodeContext } from './context.ts'
import { openIdentity } from './enrolment/enrol.ts'
import { connectRenewing } from './enrolment/renewing-client.ts'
import { DiskCache, isMissing } from './files/disk-cache.ts'
import { watchDiskSpace } from './files/disk-space.ts'
import { deviceWith } from './frames/sources.ts'
import { createGpuDecoding } from './media/gpu-decoding.ts'
import { createPictureDecoders } from './media/picture-decoders.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { BitmapCache } from './paint/bounded-cache.ts'
import { chooseCanvas } from './paint/choose.ts'
import { createCopies } from './paint/pictures.ts'
import { SurfacePools } from './paint/surface-pool.ts'
import { createPngs } from './png/index.ts'
import { programPath } from './process/ffmpeg.ts'
import { createNamedPipes } from './process/named-pipes.ts'
import { createSandbox } from './process/sandbox.ts'

/** Limits of the disk caches of a machine's nodes: a few hours of media, encoded and decoded. */
const originalsMaxBytes = 4 * 2 ** 30
const pixelsMaxBytes = 4 * 2 ** 30
/** Room in memory for six photographs of 1920x1280. */
const bitmapsMaxBytes = 64 * 2 ** 20
/**
 * One surface of 2160p or four of 1080p, for each of three sizes, however many stills were painted
 * at once.
 */
const surfaceMaxBytes = 3840 * 2160 * 4
/** Each takes about 60 MB, mostly shared; a film's pictures are decoded one after the other. */
const spareDecoders = 2

/** Runs the role `farm worker` until it is stopped. @throws EnvError */
export async function startWorker(env: Env): Promise<void> {
  keepFilesPrivate(env)
  const config = readConfig(env)
  const log = createLog('worker').child(config.gpu === undefined ? {} : { gpu: config.gpu })
  if (config.gpu !== undefined) {
    // Child processes see this one device only, numbered as nvidia-smi does.
    process.env.CUDA_DEVICE_ORDER = 'PCI_BUS_ID'
    process.env.CUDA_VISIBLE_DEVICES = config.gpu
  }
  const { lanes, slots, processes } = config
  log.info({ ...countCores(), processes, lanes, slots }, 'cores counted')
  const workDir = join(config.dataDir, 'work')
  const pipesDir = join(config.dataDir, 'pipes')
  const clear = (dir: string) => rm(dir, { recursive: true, force: true })
  await Promise.all([workDir, pipesDir].map(clear))
  await mkdir(workDir, { recursive: true })
  const metrics = createWorkerMetrics()
  let trouble: string | undefined = 'it is starting'
  const ready = async () => {
    if (trouble !== undefined) throw new Error(trouble)
  }
  const watched = await serveMetrics(config.metricsAddress, { metrics: metrics.registry, ready })
  const health = config.healthAddress && (await serveHealth(config.healthAddress))
  const { nodeName: name, pool } = config
  const identity = config.enrolment && (await openIdentity(config.enrolment, { name, pool, log }))
  const id = identity?.nodeId ?? config.nodeId ?? (await readNodeId(config.dataDir))
  const tracing = await openTracing({ role: 'worker', instance: id, env, log })
  const node = await openNode(config, { pipesDir, log, metrics, tracing })
  const usage = createUsageReader({ dir: workDir })
  metrics.watchMachine({ usage, gpu: config.gpu, lanes: node.lanes })
  const { canvas, sandbox } = node
  const offer = await makeOffer(config, { canvas, sandbox, log })
  const { schedulerAddress: address, nodeToken: token, tls, enrolment } = config
  let shown = identity?.tls ?? tls
  addCertificateLife(metrics.registry, () => shown?.cert)
  const client =
    enrolment && identity
      ? connectRenewing({
          ...{ address, config: enrolment, identity, name, pool, log },
          onRenewed: (renewed) => {
            shown = renewed.tls
          },
        })
      : connectScheduler({ address, token, tls })
  const agent = new Agent({
    log,
    client,
    node: { id, name, version: engineVersion },
    offer,
    pauseReason: watchDiskSpace(workDir),
    usage,
    drainGraceMs: config.drainSeconds * 1000,
    onIdle: () => void forgetPixels(node),
    onHealthChange(now) {
      trouble = now
      health?.set(now === undefined)
    },
    run: (task, options) => runTask(task, { node, workDir, ...options }),
  })
  const stops = [
    watched.stop,
    tracing.stop,
    () => health?.stop(),
    () => node.baker.close(),
    () => node.pngs.close(),
    () => node.decoders.close(),
    () => clear(pipesDir),
    () => agent.stop(),
  ]
  stopOnSignal({ log, stops, graceMs: graceMsOf(config) })
  if (!(await agent.start())) return
  const ports = { metricsPort: watched.port, healthPort: health?.port }
  log.info({ node: id, name, ...offer, sandbox: sandbox.state, ...ports }, 'ready')
}

/** Frees the pixels that are cached for the next task, and gives their memory back to the system. */
async function forgetPixels({ bitmaps, copies, surfaces, log }: NodeContext): Promise<void> {
  for (const cache of [bitmaps, copies, surfaces]) cache.clear()
  const residentBefore = process.memoryUsage.rss()
  collectNow()
  // Native memory of collected objects is freed in the turn after the collection.
  await nextTurn()
  await trimNativeHeap()
  const resident = process.memoryUsage.rss()
  log.info({ residentBefore, resident }, 'idle: memory given back')
}

async function openNode(
  config: WorkerConfig,
  {
    pipesDir,
    log,
    metrics,
    tracing,
  }: { pipesDir: string; log: Log; metrics: WorkerMetrics; tracing: Tracing },
): Promise<NodeContext> {
  const cache = (name: string, maxBytes: number) =>
    new DiskCache({
      dir: join(config.dataDir, 'cache', name),
      limitBytes: maxBytes / config.processes,
    })
  log.info({ ffmpeg: programPath('ffmpeg'), ffprobe: programPath('ffprobe') }, 'ffmpeg chosen')
  const sandbox = await createSandbox(config.sandbox)
  if (sandbox.state.level !== 'bwrap') {
    log.warn(sandbox.state, 'untrusted files are read without a full sandbox')
  }
  const { dataDir, strictFonts, kinds, lanes, frameSources } = config
  const { canvas: chosen, reason } = await chooseCanvas(config.canvas)
  const canvas = { ...chosen, device: deviceWith(chosen.device, frameSources) }
  log.info({ canvas: canvas.name, device: canvas.device, reason }, 'canvas chosen')
  const baker = createBaker({ log, dataDir, strictFonts, sandbox })
  const spares = kinds.includes('ingest') ? spareDecoders : 0
  return {
    log,
    metrics,
    tracing,
    sandbox,
    decoders: await createPictureDecoders({ sandbox, dataDir, log, atOnce: lanes, spares }),
    pipes: createNamedPipes(pipesDir),
    canvas,
    frameSources,
    baker,
    sharedBakes: createSharedBakes(baker),
    trustedHosts: config.trustedHosts,
    originals: cache('originals', originalsMaxBytes),
    pixels: cache('pixels', pixelsMaxBytes),
    bitmaps: new BitmapCache(bitmapsMaxBytes),
    copies: createCopies(),
    surfaces: new SurfacePools(canvas, surfaceMaxBytes),
    pngs: createPngs(lanes),
    inspections: createOnceByKey(),
    clipHeaders: createOnceByKey(),
    gpuDecoding: createGpuDecoding(config.gpuDecoding, { sandbox, log }),
    lanes: createLanes(lanesOf(config)),
  }
}

/**
 * Returns the node's id, which survives restarts: a UUID in its data directory, written atomically,
 * as a full disk would leave an empty file.
 */
async function readNodeId(dataDir: string): Promise<string> {
  const file = join(dataDir, 'node-id')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (!isMissing(error)) throw error
    const id = randomUUID()
    await writeFile(`${file}.new`, `${id}\n`)
    await rename(`${file}.new`, file)
    return id
  }
}
