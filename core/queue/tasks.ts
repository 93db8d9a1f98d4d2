import { type Static, Type } from 'typebox'
import { captionLimits } from '../captions/caption.ts'
import type { JobStage } from '../jobs/jobs.ts'
import { videoEncoders } from '../plan/formats.ts'
import { anchors, positions } from '../project/schema/names.ts'
import { previewLimits } from '../project/schema/preview.ts'

/**
 * Request and result of a node, for each kind of task. The scheduler passes both on unread; the
 * workflow checks every result against these schemas, because a node may be compromised.
 *
 * Bytes never travel in a task: `inputs` and `outputs` of a lease name objects, each with a
 * presigned URL. Each kind below documents its object names.
 */

const digest = Type.String({ pattern: '^[0-9a-f]{64}$' })
const count = Type.Integer({ minimum: 0 })
const size = Type.Integer({ minimum: 1, maximum: 65_536 })

/** Validators of an origin for one version of a resource (RFC 9110, 8.8). */
const validators = {
  etag: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e ]{1,256}$' })),
  lastModified: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e ]{1,64}$' })),
}

/**
 * Fetch one URL, probe it, store the original bytes. Output object: `media`. `known`: the URL's
 * previous content; when unchanged, nothing is probed or written.
 */
export const IngestSpec = Type.Object({
  url: Type.String(),
  /** Path of the URL in the request, for the customer's error: `scenes[0].visuals[2].src`. */
  field: Type.String(),
  /** The field is html, which may hold several: errors name the URL. */
  isInHtml: Type.Optional(Type.Literal(true)),
  expect: Type.Union([
    Type.Literal('image'),
    Type.Literal('video'),
    Type.Literal('gif'),
    Type.Literal('audio'),
    Type.Literal('subtitle'),
  ]),
  known: Type.Optional(Type.Object({ digest, ...validators })),
})
export type IngestSpec = Static<typeof IngestSpec>

/** Most key frames, some 12 kB of facts. */
export const keyFramesMax = 2_000

/** Sentences that say how much of a damaged file is used; absent = undamaged. */
const damageWarnings = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 20 }),
)

/**
 * Facts of a probed file. `image`: size after EXIF rotation, px. `audio`: duration in seconds, to
 * the sample.
 *
 * `video` and `gif`: size as shown (turned upright, square pixels). `frames` and `frameRate` (a
 * fraction) describe its constant-rate sequence: frame k is what is seen k / frameRate seconds
 * after the file starts. A source of constant rate keeps its rate. Any other gets a rate at which
 * each of its frames begins at a whole number, or a thousand. `keyFrames`: frames of it at which
 * decoding may begin, ascending, of a long clip the first ones; absent where unknown.
 *
 * `subtitle`: the file's captions, in seconds of the film.
 */
export const MediaFacts = Type.Union([
  Type.Object({
    kind: Type.Literal('image'),
    format: Type.String(),
    width: size,
    height: size,
    hasAlpha: Type.Boolean(),
    warnings: damageWarnings,
  }),
  Type.Object({
    kind: Type.Union([Type.Literal('video'), Type.Literal('gif')]),
    format: Type.String(),
    width: size,
    height: size,
    frameRate: Type.Tuple([Type.Integer({ minimum: 1 }), Type.Integer({ minimum: 1 })]),
    frames: Type.Integer({ minimum: 1 }),
    hasAlpha: Type.Boolean(),
    hasAudio: Type.Boolean(),
    warnings: damageWarnings,
    keyFrames: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: keyFramesMax })),
  }),
  Type.Object({
    kind: Type.Literal('audio'),
    format: Type.String(),
    duration: Type.Number({ exclusiveMinimum: 0 }),
    sampleRate: Type.Integer({ minimum: 1 }),
    channels: Type.Integer({ minimum: 1 }),
    warnings: damageWarnings,
  }),
  Type.Object({
    kind: Type.Literal('subtitle'),
    format: Type.Union([Type.Literal('srt'), Type.Literal('vtt')]),
    captions: Type.Array(
      Type.Object({
        start: Type.Number({ minimum: 0 }),
        end: Type.Number({ minimum: 0 }),
        text: Type.String({ minLength: 1, maxLength: captionLimits.textCharacters }),
        wordStarts: Type.Optional(Type.Array(Type.Number({ minimum: 0 }))),
      }),
      { maxItems: captionLimits.captions },
    ),
    /** Sentences about parts of the file that are not shown, or were guessed. */
    warnings: Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: 20 })),
  }),
])
export type MediaFacts = Static<typeof MediaFacts>

/** A day; longer promises of an origin are ignored. */
export const freshSecondsMax = 86_400

/**
 * Result of an ingest; without `facts` the bytes are those of `known`. `freshSeconds`: time for which the origin
 * promises the same content.
 */
export const IngestResult = Type.Object({
  digest,
  bytes: count,
  facts: Type.Optional(MediaFacts),
  freshSeconds: Type.Integer({ minimum: 0, maximum: freshSecondsMax }),
  ...validators,
})
export type IngestResult = Static<typeof IngestResult>

/**
 * Paint documents with Chromium. Input objects: `documents`, a JSON array of BakeDocument, and each
 * picture that they show, named by digest. Output objects: `bake-<i>`, one PNG (straight alpha) for
 * document i, or all PNGs of its animation in a row.
 */
export const BakeSpec = Type.Object({ count })
export type BakeSpec = Static<typeof BakeSpec>

/** Position of an element on the canvas and its rotation, as in the request. */
const Placement = Type.Object({
  x: Type.Number(),
  y: Type.Number(),
  position: Type.Enum(positions),
  anchor: Type.Enum(anchors),
  angle: Type.Number(),
  flipH: Type.Boolean(),
  flipV: Type.Boolean(),
})

/**
 * `html` and `svg` are sanitised again before they reach the browser. `width`, `height`: the
 * element's size in CSS px when the customer gave it; absent = fit-content (html) or the picture's
 * own size (svg).
 */
export const BakeDocument = Type.Object({
  kind: Type.Union([Type.Literal('html'), Type.Literal('svg')]),
  markup: Type.String(),
  /** Media that the markup shows, each once (core/markup/placed-pictures.ts). */
  pictures: Type.Optional(Type.Array(Type.Object({ digest, width: size, height: size }))),
  style: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  width: Type.Optional(Type.Number()),
  height: Type.Optional(Type.Number()),
  /** Fit into a box of another shape, as `preserveAspectRatio` meet or slice. */
  resize: Type.Optional(Type.Union([Type.Literal('contain'), Type.Literal('cover')])),
  /** Film size, px: text wraps at its width, and %, vw and vh refer to it; 1920 x 1080 if absent. */
  canvas: Type.Optional(Type.Object({ width: size, height: size })),
  /** Custom code: the element is painted once for each animation frame; absent = a still. */
  code: Type.Optional(
    Type.Object({
      css: Type.String(),
      js: Type.String(),
      /** Run time in seconds; the last animation frame is held afterwards. */
      duration: Type.Number({ exclusiveMinimum: 0, maximum: 15 }),
      /** Seconds of it that are visible. */
      until: Type.Number({ minimum: 0, maximum: 15 }),
      /** Animation frames a second. */
      frameRate: Type.Integer({ minimum: 1, maximum: 60 }),
      /** Only the animation frame at `until` is painted. */
      lastOnly: Type.Optional(Type.Literal(true)),
      place: Placement,
    }),
  ),
  /** Measures the positions of the elements of class `part`. */
  parts: Type.Optional(Type.Literal(true)),
  /** A caption: elements of class `word` stand in rows of at most `room` px, in the sizes of captions. */
  rows: Type.Optional(
    Type.Object({
      room: Type.Number({ minimum: 1 }),
      /** Stroke around the letters; `width` in px beyond them. */
      stroke: Type.Optional(
        Type.Object({
          color: Type.String({ pattern: '^#[0-9a-f]{6}$' }),
          width: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
        }),
      ),
    }),
  ),
  /** Path of the element in the request, for errors and warnings. */
  field: Type.String(),
})
export type BakeDocument = Static<typeof BakeDocument>

/**
 * Warning about a painted element. `property`: of the visual's `style`, as written in the request;
 * absent = the whole element.
 */
export const BakeWarning = Type.Object({
  code: Type.Union([
    Type.Literal('style_ignored'),
    Type.Literal('unknown_font'),
    Type.Literal('missing_glyph'),
    Type.Literal('picture_damaged'),
    Type.Literal('cut_off'),
  ]),
  property: Type.Optional(Type.String({ maxLength: 110 })),
  message: Type.String({ maxLength: 1_000 }),
})
export type BakeWarning = Static<typeof BakeWarning>

/** Most warnings: a style has at most 120 properties; a few more concern its fonts and pictures. */
const bakeWarningsMax = 200

/** Most animation frames, at 0, 1/60 .. 15 s. */
const animationFramesMax = 901

/**
 * One picture of a moving element: its PNG is `bytes` of the object from `offset` on. Its ink is as
 * in BakeFacts.
 */
const BakedMoment = Type.Object({
  offset: count,
  bytes: count,
  inkX: Type.Integer(),
  inkY: Type.Integer(),
  inkWidth: size,
  inkHeight: size,
})
const whole = Type.Integer({ minimum: -65_536, maximum: 65_536 })
const PartRect = Type.Tuple([whole, whole, whole, whole])

/**
 * Facts of a baked element. Its layout box is `width` x `height` CSS px. The PNG may be larger,
 * where shadows or negative margins paint outside the box, or smaller, where its edges stay empty.
 * Its top-left pixel lies at (`inkX`, `inkY`) relative to the box, its size is `inkWidth` x
 * `inkHeight`, all integers. An element that paints nothing has ink 1 x 1, transparent. The box is
 * the CSS border box; `margin` is kept free around it, px, and may be negative; absent = none.
 *
 * `moments`: the object holds several PNGs. `order[k]` is the one of `pictures` that is shown k /
 * `frameRate` seconds after the element's begin; the last is held. The ink above is the first's.
 */
export const BakeFacts = Type.Object({
  digest,
  bytes: count,
  width: Type.Number({ minimum: 0 }),
  height: Type.Number({ minimum: 0 }),
  inkX: Type.Integer(),
  inkY: Type.Integer(),
  inkWidth: size,
  inkHeight: size,
  margin: Type.Optional(
    Type.Object({
      left: Type.Number(),
      top: Type.Number(),
      right: Type.Number(),
      bottom: Type.Number(),
    }),
  ),
  moments: Type.Optional(
    Type.Object({
      frameRate: Type.Integer({ minimum: 1, maximum: 60 }),
      pictures: Type.Array(BakedMoment, { minItems: 1, maxItems: animationFramesMax }),
      order: Type.Array(count, { minItems: 1, maxItems: animationFramesMax }),
    }),
  ),
  /**
   * Rectangles of each part's text, in order: left, top, width, height, px of the box. A part that
   * is broken over rows has several, one without any width none.
   */
  parts: Type.Optional(
    Type.Array(Type.Array(PartRect, { maxItems: captionLimits.textCharacters }), {
      maxItems: captionLimits.words,
    }),
  ),
  warnings: Type.Array(BakeWarning, { maxItems: bakeWarningsMax }),
})
export type BakeFacts = Static<typeof BakeFacts>

export const BakeResult = Type.Object({ bakes: Type.Array(BakeFacts) })
export type BakeResult = Static<typeof BakeResult>

/**
 * Paint and encode whole segments of a plan. Input objects: `plan` (JSON Plan) and one for each
 * picture the segments read, named by digest. Output objects: `segment-<index>` for each segment
 * (mp4 with one closed GOP run, no audio).
 *
 * `assemble`: the task is the whole film and is finished under the same lease. The objects of an
 * AssembleSpec join these, except the segments, which are already there.
 *
 * `sound`: the film's sound is encoded as well, beside the segments, to the object `sound`. Its
 * media join the input objects. `soundStored`: an earlier job has encoded it; the input object
 * `sound` replaces them.
 *
 * `preview`: the object `preview` (jpg) is the last frame of the latest finished segment, rewritten
 * after each.
 *
 * `thumbnail`: one of the segments contains the thumbnail's frame, which is written to the object
 * `thumbnail`.
 */
export const RenderSpec = Type.Object({
  segments: Type.Array(count, { minItems: 1 }),
  assemble: Type.Boolean(),
  sound: Type.Optional(Type.Boolean()),
  soundStored: Type.Optional(Type.Boolean()),
  preview: Type.Optional(Type.Boolean()),
  thumbnail: Type.Optional(Type.Boolean()),
})
export type RenderSpec = Static<typeof RenderSpec>

export const OutputFacts = Type.Object({
  bytes: count,
  /** Seconds; 0 for a still. */
  duration: Type.Number({ minimum: 0 }),
  frames: count,
  width: size,
  height: size,
})
export type OutputFacts = Static<typeof OutputFacts>

/** Seconds a node spent on each stage; shown to SREs and by the benchmarks, never trusted. */
export const StageSeconds = Type.Record(Type.String(), Type.Number())
export type StageSeconds = Static<typeof StageSeconds>

/** Slowest pictures that a task reports. */
export const slowFramesMax = 3

const ms = Type.Number({ minimum: 0, maximum: 86_400_000 })

/**
 * Picture that took long to make, first shown at `frame` of the film. Milliseconds of loading its sources, painting
 * it, and handing it to the encoder; never trusted.
 */
export const SlowFrame = Type.Object({ frame: count, sources: ms, paint: ms, encode: ms })
export type SlowFrame = Static<typeof SlowFrame>

/** Slowest first; older nodes report none. */
const slowFrames = Type.Optional(Type.Array(SlowFrame, { maxItems: slowFramesMax }))

export const RenderResult = Type.Object({
  segments: Type.Array(Type.Object({ index: count, bytes: count, frames: count })),
  /** Size of the object `sound`, if it was written. */
  soundBytes: Type.Optional(count),
  /** True where the object `thumbnail` was written; older nodes do not write it. */
  thumbnail: Type.Optional(Type.Boolean()),
  output: Type.Optional(OutputFacts),
  seconds: StageSeconds,
  slowFrames,
})
export type RenderResult = Static<typeof RenderResult>

/**
 * Join segments without re-encoding, mix the sound once, take the thumbnail. Input objects: `plan`,
 * `segment-<index>` for every segment of the plan, the plan's audio media and the thumbnail's
 * pictures by digest. Output objects: `output` (the film) and `thumbnail` (jpg).
 *
 * `sound`: a render task of this job or an earlier one has encoded it; the object `sound` replaces
 * the audio media. `thumbnail`: a render task has taken it; it is the input object `thumbnail`.
 */
export const AssembleSpec = Type.Object({
  sound: Type.Optional(Type.Boolean()),
  thumbnail: Type.Optional(Type.Boolean()),
})
export type AssembleSpec = Static<typeof AssembleSpec>

export const AssembleResult = Type.Object({ output: OutputFacts, seconds: StageSeconds })
export type AssembleResult = Static<typeof AssembleResult>

/**
 * Paint one still. Input objects: `plan` and pictures by digest. Output objects: `output`
 * (png, jpg or webp) and `thumbnail` (jpg).
 */
export const StillSpec = Type.Object({})
export type StillSpec = Static<typeof StillSpec>

export const StillResult = Type.Object({ output: OutputFacts, seconds: StageSeconds })
export type StillResult = Static<typeof StillResult>

/**
 * Single pass: make a still, or a small film, that lacks only elements painted by Chromium. One task
 * bakes, plans, renders and finishes. Input objects: the known pictures and sounds, by digest.
 * Output objects: `bake-<i>` for the draft's document i, as in a BakeSpec; `output` and `thumbnail`.
 *
 * `bakes`: storage key of each document, the sha256 of its `bakeKeyText`. `encoder`: the plan's.
 * `draft`: JSON Draft; a long one is the input object `draft` instead.
 */
export const SinglePassSpec = Type.Object({
  bakes: Type.Array(digest, { minItems: 1 }),
  encoder: Type.Enum([...videoEncoders]),
  draft: Type.Optional(Type.String()),
})
export type SinglePassSpec = Static<typeof SinglePassSpec>

export const SinglePassResult = Type.Object({
  bakes: Type.Array(BakeFacts),
  output: OutputFacts,
  seconds: StageSeconds,
  slowFrames,
})
export type SinglePassResult = Static<typeof SinglePassResult>

/**
 * Paint frames of a plan, small, on one sheet. Input objects: `plan`, and by digest the pictures and
 * clips that these frames show. Output object: `sheet` (jpg of at most `maxBytes`).
 *
 * `hasTimes`: the seconds stand under the frames. `frame`: size of each on the sheet, px.
 */
export const SheetSpec = Type.Object({
  moments: Type.Array(Type.Object({ seconds: Type.Number({ minimum: 0 }), frame: count }), {
    minItems: 1,
    maxItems: previewLimits.times,
  }),
  hasTimes: Type.Boolean(),
  frame: Type.Object({ width: size, height: size }),
  maxBytes: Type.Integer({ minimum: 1 }),
})
export type SheetSpec = Static<typeof SheetSpec>

/** `places`: top left corners. A sheet that fits no other way is reduced as a whole. */
export const SheetFacts = Type.Object({
  bytes: Type.Integer({ minimum: 1, maximum: previewLimits.mostBytes }),
  width: size,
  height: size,
  quality: Type.Integer({ minimum: 1, maximum: 100 }),
  frame: Type.Object({ width: size, height: size }),
  places: Type.Array(Type.Object({ x: count, y: count }), { maxItems: previewLimits.times }),
})
export type SheetFacts = Static<typeof SheetFacts>

export const SheetResult = Type.Object({ sheet: SheetFacts, seconds: StageSeconds })
export type SheetResult = Static<typeof SheetResult>

/** Every kind of task with the schemas of its request and its result. */
export const taskKinds = {
  ingest: { spec: IngestSpec, result: IngestResult },
  bake: { spec: BakeSpec, result: BakeResult },
  render: { spec: RenderSpec, result: RenderResult },
  assemble: { spec: AssembleSpec, result: AssembleResult },
  still: { spec: StillSpec, result: StillResult },
  make: { spec: SinglePassSpec, result: SinglePassResult },
  sheet: { spec: SheetSpec, result: SheetResult },
} as const

export type TaskKind = keyof typeof taskKinds

/** The kind of a film's shards, which are spread over nodes. */
export const shardKind = 'render' satisfies TaskKind
/** Kind of the tasks whose results other jobs of the same workflow wait for. */
export const sharedFetchKind = 'ingest' satisfies TaskKind

/** Kinds whose work is mostly on the lanes of its node (worker/agent/lanes.ts). */
export const laneKinds: readonly TaskKind[] = ['render', 'still', 'make', 'sheet']

/** The stage of a job that its tasks of each kind belong to. */
export const stageOfKind = {
  ingest: 'ingest',
  bake: 'bake',
  render: 'render',
  still: 'render',
  make: 'render',
  sheet: 'render',
  assemble: 'assemble',
} as const satisfies Record<TaskKind, JobStage>

export type TaskSpec<K extends TaskKind> = Static<(typeof taskKinds)[K]['spec']>
export type TaskResult<K extends TaskKind> = Static<(typeof taskKinds)[K]['result']>
