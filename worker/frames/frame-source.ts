import type { Plan, Segment } from '../../core/plan/plan.ts'
import type { Run } from '../../core/plan/runs.ts'
import type { Pixels } from '../../core/timeline/draw.ts'
import type { RunningSpan } from '../../runtime/tracing/tracing.ts'
import type { TaskContext } from '../context.ts'
import type { YuvConverter } from '../encode/yuv/yuv.ts'
import type { Bitmap } from '../paint/canvas.ts'
import type { Composer } from '../paint/layers/composer.ts'
import type { Painter } from '../paint/painter.ts'
import type { AnimationFrames } from '../sources/animation-frames.ts'
import type { ClipFrameReader, ClipSources } from '../sources/clip-sources.ts'
import type { PictureStore } from '../sources/picture-store.ts'
import type { Coding } from '../still-frames/index.ts'
import type { YuvFrame } from '../tasks/preview.ts'
import type { Stopwatch } from '../tasks/stopwatch.ts'
import type { SegmentEncoder } from './segment-encoder.ts'

/**
 * One way to make the frames of a segment (sources.ts lists all). The plan and the pictures' bytes
 * alone decide whether it takes a segment, so that every node chooses alike.
 */
export type FrameSource = {
  /** Name in FARM_FRAME_SOURCES and in spans; also that of its file. */
  readonly name: string
  /** Returns what renders the segment; undefined when this source declines it. */
  take(segment: StartedSegment, task: TaskContext): Promise<SegmentRenderer | undefined>
}

/** Renders and encodes the segment that a source took. */
export type SegmentRenderer = () => Promise<EncodedSegment>

/**
 * Encoded segment. `last`: its last frame, valid until the converter is used again; absent when it
 * never was here. `shown`: then a small picture of its first frame, if the task has a preview.
 */
export type EncodedSegment = {
  readonly file: string
  readonly last?: YuvFrame
  readonly shown?: string
}

/** Readers of pictures that change from frame to frame. */
export type MovingSources = {
  readonly clips: ClipFrameReader
  readonly animationFrames: AnimationFrames
}

/** A segment and the tools for it. */
export type SegmentWork = {
  readonly plan: Plan
  readonly segment: Segment
  readonly painter: Painter
  readonly sources: MovingSources
  readonly yuv: YuvConverter
  readonly composer: Composer
  readonly watch: Stopwatch
  /** Store of the segment's pictures: acquired in segment.ts, and released by the caller. */
  readonly pictureStore: PictureStore
  readonly clips: ClipSources
  /** Returns a picture that is loaded, or shown now, for painters. */
  readonly bitmap: (pixels: Pixels) => Bitmap
  readonly span: RunningSpan
  readonly isPreviewed: boolean
  /** Encoded stills of this task, by their commands. */
  readonly encodedStills: Map<string, Promise<EncodedSegment>>
}

/** Started segment. `pictures` resolves when its pictures can be drawn. */
export type StartedSegment = SegmentWork & {
  readonly runs: readonly (Run & Coding)[]
  readonly pictures: Promise<void>
  readonly encoder: SegmentEncoder
}
