import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { canaryKind } from '../core/fleet/canary.ts'
import { type StageSeconds, taskKinds } from '../core/queue/tasks.ts'
import type { MachineUsage } from '../runtime/machine-usage.ts'
import { createMetrics } from '../runtime/metrics.ts'
import { type GpuUse, watchGpus } from './agent/gpus.ts'

/** `stopped`: the attempt was cancelled, lost or handed back. */
export type TaskResult = 'done' | 'failed' | 'stopped'

/**
 * Origin of a frame of a segment: painted; repeated, as it equals the one before; or taken from a
 * clip in YUV, with layers painted over it.
 */
export type FrameWay = 'painted' | 'repeated' | 'over_clip'

/** All metrics of a node. */
export type WorkerMetrics = {
  readonly registry: Registry
  taskBegan(kind: string): void
  taskEnded(kind: string, ended: { readonly result: TaskResult; readonly seconds: number }): void
  stagesTook(kind: string, seconds: StageSeconds): void
  framesRendered(how: FrameWay, frames: number): void
  /** The node's own caches, not the farm's store. */
  cacheAsked(
    cache: 'originals' | 'pixels' | 'bitmaps',
    found: { hits: number; misses: number },
  ): void
  /** Registers the machine's values that each scrape reads. `gpu`: this process's one device. */
  watchMachine(machine: {
    readonly usage: () => Promise<MachineUsage>
    readonly gpu: string | undefined
    readonly lanes: { readonly count: number; readonly busy: number }
  }): void
}

const kinds = [...Object.keys(taskKinds), canaryKind]
const ways: readonly FrameWay[] = ['painted', 'repeated', 'over_clip']

export function createWorkerMetrics(): WorkerMetrics {
  const registry = createMetrics('worker')
  const registers = [registry]
  const running = new Gauge({
    name: 'farm_tasks_running',
    help: 'Tasks running on this node',
    labelNames: ['kind'],
    registers,
  })
  const seconds = new Histogram({
    name: 'farm_task_seconds',
    help: 'Seconds of an attempt on the node, downloads and uploads included',
    labelNames: ['kind', 'result'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320],
    registers,
  })
  const stages = new Counter({
    name: 'farm_task_stage_seconds_total',
    help: 'Seconds spent on each stage of tasks; stages that run at the same time add up',
    labelNames: ['kind', 'stage'],
    registers,
  })
  const frames = new Counter({
    name: 'farm_frames_rendered_total',
    help: 'Frames of rendered segments: painted, repeated from the frame before, or composed over a clip in YUV',
    labelNames: ['how'],
    registers,
  })
  const lookups = new Counter({
    name: 'farm_cache_lookups_total',
    help: 'Lookups in the caches of the node',
    labelNames: ['cache', 'result'],
    registers,
  })
  for (const kind of kinds) running.set({ kind }, 0)
  for (const how of ways) frames.inc({ how }, 0)
  return {
    registry,
    taskBegan: (kind) => running.inc({ kind: knownKind(kind) }),
    taskEnded(kind, { result, seconds: taken }) {
      running.dec({ kind: knownKind(kind) })
      seconds.observe({ kind: knownKind(kind), result }, taken)
    },
    stagesTook(kind, took) {
      for (const [stage, each] of Object.entries(took)) stages.inc({ kind, stage }, each)
    },
    framesRendered: (how, count) => frames.inc({ how }, count),
    cacheAsked(cache, { hits, misses }) {
      lookups.inc({ cache, result: 'hit' }, hits)
      lookups.inc({ cache, result: 'miss' }, misses)
    },
    watchMachine({ usage, gpu, lanes }) {
      addLanes(registry, lanes)
      addUsage(registry, usage)
      addGpus(registry, watchGpus(gpu))
    },
  }
}

/** Counts refused tasks of unknown kinds too. */
function knownKind(kind: string): string {
  return kinds.includes(kind) ? kind : 'unknown'
}

function addLanes(registry: Registry, lanes: { readonly count: number; readonly busy: number }) {
  const registers = [registry]
  new Gauge({
    name: 'farm_lanes',
    help: 'Most segments that this node paints and encodes at once',
    registers,
  }).set(lanes.count)
  new Gauge({
    name: 'farm_lanes_busy',
    help: 'Busy lanes; each is one encoder',
    registers,
    collect() {
      this.set(lanes.busy)
    },
  })
}

function addUsage(registry: Registry, read: () => Promise<MachineUsage>): void {
  const add = (name: string, help: string, value: (usage: MachineUsage) => number) =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set(value(await read()))
      },
    })
  const mb = 2 ** 20
  add(
    'farm_cpu_busy_ratio',
    'Busy share of the processor, of the container’s where it is limited',
    ({ cpu }) => cpu,
  )
  add(
    'farm_memory_used_bytes',
    'Memory in use, of the container where that is limited',
    (usage) => usage.memoryUsedMb * mb,
  )
  add(
    'farm_memory_bytes',
    'Memory of the machine, or of the container where that is limited',
    (usage) => usage.memoryMb * mb,
  )
  add(
    'farm_disk_free_bytes',
    'Free bytes on the disk of the working files and caches',
    (usage) => (usage.diskMb - usage.diskUsedMb) * mb,
  )
  add(
    'farm_disk_bytes',
    'Size of the disk of the working files and caches',
    (usage) => usage.diskMb * mb,
  )
}

/** GPU metrics; without an NVIDIA driver they have no samples. */
function addGpus(registry: Registry, read: () => Promise<readonly GpuUse[]>): void {
  const add = (name: string, help: string, value: (gpu: GpuUse) => number | undefined) =>
    new Gauge({
      ...{ name, help, labelNames: ['gpu'], registers: [registry] },
      async collect() {
        const gpus = await read()
        this.reset()
        for (const gpu of gpus) {
          const known = value(gpu)
          if (known !== undefined) this.set({ gpu: gpu.index }, known)
        }
      },
    })
  const bytes = (megabytes: number | undefined) => megabytes && megabytes * 2 ** 20
  add('farm_gpu_memory_bytes', 'Memory of a GPU', (gpu) => bytes(gpu.memoryMb))
  add('farm_gpu_memory_used_bytes', 'Memory of a GPU in use, by anybody', (gpu) =>
    bytes(gpu.memoryUsedMb),
  )
  add('farm_gpu_utilisation_ratio', 'Share of the last second in which a GPU computed', (gpu) =>
    gpu.utilisation === undefined ? undefined : gpu.utilisation / 100,
  )
  add(
    'farm_gpu_encoder_sessions',
    'Sessions open on the hardware encoder of a GPU',
    (gpu) => gpu.encoderSessions,
  )
}
