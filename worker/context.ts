import type { MediaFacts } from '../core/tasks.ts'
import type { Log } from '../runtime/log.ts'
import type { RunningSpan, Tracing } from '../runtime/tracing/tracing.ts'
import type { Baker } from './bake/baker.ts'
import type { SharedBakes } from './bake/shared.ts'
import type { DiskCache } from './disk-cache.ts'
import type { NamedPipes } from './encode/named-pipes.ts'
import type { Lanes } from './lanes.ts'
import type { ClipHeader } from './media/clip-probe.ts'
import type { GpuDecoding } from './media/gpu-decoding.ts'
import type { PictureDecoders } from './media/picture-decoders.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { OnceByKey } from './once-by-key.ts'
import type { BitmapCache } from './paint/bounded-cache.ts'
import type { Canvas } from './paint/canvas.ts'
import type { SurfacePools } from './paint/surface-pool.ts'
import type { Pngs } from './png/pngs.ts'
import type { Sandbox } from './sandbox.ts'

/** What every task of this node works with. */
export type NodeContext = {
  readonly log: Log
  readonly metrics: WorkerMetrics
  readonly tracing: Tracing
  readonly sandbox: Sandbox
  readonly decoders: PictureDecoders
  readonly pipes: NamedPipes
  readonly canvas: Canvas
  readonly baker: Baker
  readonly sharedBakes: SharedBakes
  /** `host:port` that customers' URLs may name although the media URL rule says no. */
  readonly trustedHosts: readonly string[]
  /** Objects by their digest, as they were uploaded. */
  readonly originals: DiskCache
  /** Decoded pictures. A task sees those of its account here and below (run-task.ts). */
  readonly pixels: DiskCache
  /** Pictures that were drawn lately, by their `pixelsName`: those of a bulk are often the same. */
  readonly bitmaps: BitmapCache
  /** What painters made of pictures: reduced, filtered and fitted. */
  readonly copies: BitmapCache
  /** What single frames are painted on. Left to the collector, each would be megabytes that it cannot see. */
  readonly surfaces: SurfacePools
  readonly pngs: Pngs
  /** By the account, what was expected of a file, and its digest. */
  readonly inspections: OnceByKey<MediaFacts>
  /** By the clip's digest. */
  readonly clipHeaders: OnceByKey<ClipHeader>
  readonly gpuDecoding: GpuDecoding
  /** Each paints and encodes one segment at a time, whichever task it is of. */
  readonly lanes: Lanes
}

/** One attempt at one task. */
export type TaskContext = {
  readonly node: NodeContext
  readonly jobId: string
  readonly accountId: string
  readonly log: Log
  /** Of the attempt; its work is told as parts of it. */
  readonly span: RunningSpan
  /** Scratch directory of the attempt (scratch.ts). Removed afterwards. */
  readonly dir: string
  /** Aborted when the task is cancelled, lost, or handed back. */
  readonly signal: AbortSignal
  /** Elements that this very task has painted, as PNG, by digest. */
  readonly painted: ReadonlyMap<string, Buffer>
  /** Downloads an input object. */
  get(name: string, to: string): Promise<void>
  /** The same, into memory: a plan, a draft, a list of documents. */
  read(name: string): Promise<Buffer>
  /** Uploads an output object from a file or from memory. */
  put(name: string, from: string | Buffer): Promise<void>
  /** Frames painted and encoded since the last call. */
  progress(frames: number): void
  /** The object `preview` has been written, again. */
  previewed(): void
}
