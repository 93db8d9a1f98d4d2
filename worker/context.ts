import type { MediaFacts } from '../core/queue/tasks.ts'
import type { Log } from '../runtime/log.ts'
import type { OnceByKey } from '../runtime/once-by-key.ts'
import type { RunningSpan, Tracing } from '../runtime/tracing/tracing.ts'
import type { Lanes } from './agent/lanes.ts'
import type { Baker } from './bake/baker.ts'
import type { SharedBakes } from './bake/shared.ts'
import type { DiskCache } from './files/disk-cache.ts'
import type { ClipHeader } from './media/clip-probe.ts'
import type { GpuDecoding } from './media/gpu-decoding.ts'
import type { PictureDecoders } from './media/picture-decoders.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { BitmapCache } from './paint/bounded-cache.ts'
import type { Canvas } from './paint/canvas.ts'
import type { SurfacePools } from './paint/surface-pool.ts'
import type { Pngs } from './png/index.ts'
import type { NamedPipes } from './process/named-pipes.ts'
import type { Sandbox } from './process/sandbox.ts'

/** Everything that the tasks of this node share. */
export type NodeContext = {
  readonly log: Log
  readonly metrics: WorkerMetrics
  readonly tracing: Tracing
  readonly sandbox: Sandbox
  readonly decoders: PictureDecoders
  readonly pipes: NamedPipes
  readonly canvas: Canvas
  /** Names of the frame sources that it may use (frames/sources.ts). */
  readonly frameSources: readonly string[]
  readonly baker: Baker
  readonly sharedBakes: SharedBakes
  /** `host:port` that customers' URLs may name although the media URL rule forbids it. */
  readonly trustedHosts: readonly string[]
  /** Uploaded objects by digest, unchanged. */
  readonly originals: DiskCache
  /**
   * Decoded pictures. A task sees only its own account's, here and in the next two caches
   * (agent/run-task.ts).
   */
  readonly pixels: DiskCache
  /** Recently drawn pictures by their `pixelsName`: the jobs of a bulk often share them. */
  readonly bitmaps: BitmapCache
  /** Pictures that painters derived: reduced, filtered and fitted. */
  readonly copies: BitmapCache
  /**
   * Surfaces on which single frames are painted. They are pooled, as the garbage collector does not
   * see their megabytes.
   */
  readonly surfaces: SurfacePools
  readonly pngs: Pngs
  /** Keyed by the account, the expectations of the file, and its digest. */
  readonly inspections: OnceByKey<MediaFacts>
  /** Keyed by the clip's digest. */
  readonly clipHeaders: OnceByKey<ClipHeader>
  readonly gpuDecoding: GpuDecoding
  /** Each lane paints and encodes one segment at a time, of any task. */
  readonly lanes: Lanes
}

/** One attempt at one task. */
export type TaskContext = {
  readonly node: NodeContext
  readonly jobId: string
  readonly accountId: string
  readonly log: Log
  /** Steps of the work, for operators who follow the attempt's log; the process's own log has none. */
  readonly notes: Log
  /** Span of the attempt; its work is traced as children of it. */
  readonly span: RunningSpan
  /** Scratch directory of the attempt (files/scratch.ts), removed afterwards. */
  readonly dir: string
  /** Aborted when the task is cancelled, lost, or handed back. */
  readonly signal: AbortSignal
  /** Elements that this task itself has painted, as PNG, by digest. */
  readonly painted: ReadonlyMap<string, Buffer>
  /** Downloads an input object. */
  get(name: string, to: string): Promise<void>
  /** Downloads an input object into memory: a plan, a draft, a list of documents. */
  read(name: string): Promise<Buffer>
  /** Uploads an output object from a file or from memory. */
  put(name: string, from: string | Buffer): Promise<void>
  /** Reports how many frames were painted and encoded since the last call. */
  progress(frames: number): void
  /** Reports that the object `preview` has been written or replaced. */
  previewed(): void
  /** Reports an output that a player can use before the task ends. */
  written(name: string): void
  /** Segments that a player waits for, in the order of their frames. */
  readonly wanted: () => readonly number[]
}
