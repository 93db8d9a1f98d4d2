import { join } from 'node:path'
import { FarmError } from '../../core/errors.ts'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import { type ClipPixels, type Pixels, picturesOf, pixelsName } from '../../core/timeline/draw.ts'
import { describeFrame } from '../../core/timeline/frame.ts'
import { elementsOf } from '../../core/timeline/timeline.ts'
import type { Timeline } from '../../core/timeline/types.ts'
import { sniffFile } from '../../runtime/media/sniff.ts'
import type { TaskContext } from '../context.ts'
import { scratchOf } from '../files/scratch.ts'
import { type ClipFile, type ClipHeader, readClipHeader } from '../media/clip-probe.ts'
import { BrokenClip, type ClipStream, openClipStream } from '../media/clip-stream.ts'
import { readableClip } from '../media/readable-clip.ts'
import type { Bitmap } from '../paint/canvas.ts'
import { freePixels } from '../paint/free-pixels.ts'
import { type ClipUse, runsOf } from './clip-runs.ts'
import { fetchOriginal } from './originals.ts'

/** Clip ready for decoding. `keyFrames`: as far as the plan knows them. */
export type OpenClip = {
  readonly clip: ClipFile
  readonly header: ClipHeader
  readonly keyFrames: readonly number[]
}

/** Sources of a task's clips: each is fetched and probed once. */
export class ClipSources {
  readonly #plan: Plan
  readonly #task: TaskContext
  readonly #clips: ReadonlySet<string>
  readonly #opened = new Map<string, Promise<OpenClip>>()

  constructor(task: TaskContext, plan: Plan) {
    this.#task = task
    this.#plan = plan
    const clips = elementsOf(plan.timeline).filter(({ pixels }) => pixels.kind === 'clip')
    this.#clips = new Set(clips.map(({ pixels }) => pixels.digest))
  }

  /** Returns a frame reader for a segment; frames must be requested in order. */
  readerFor(
    { start, frames, pixels }: Pick<Segment, 'start' | 'frames' | 'pixels'>,
    signal: AbortSignal,
  ): ClipFrameReader {
    const hasClips = pixels.some((digest) => this.#clips.has(digest))
    return new ClipFrameReader({
      task: { ...this.#task, signal },
      uses: hasClips ? usesIn(this.#plan.timeline, { start, frames }) : [],
      open: (digest) => this.open(digest),
      fieldOf: (digest) => fieldIn(this.#plan, digest),
    })
  }

  /** Returns the clip's file and its header. */
  open(digest: string): Promise<OpenClip> {
    const opening = this.#opened.get(digest) ?? this.#openNow(digest)
    this.#opened.set(digest, opening)
    return opening
  }

  async #openNow(digest: string): Promise<OpenClip> {
    const keyFrames = this.#plan.keyFrames?.[digest] ?? []
    return { ...(await openClip(digest, this.#task)), keyFrames }
  }
}

async function openClip(digest: string, task: TaskContext): Promise<Omit<OpenClip, 'keyFrames'>> {
  const { sandbox, clipHeaders } = task.node
  const file = await fetchOriginal(digest, task)
  const sniffed = await sniffFile(file)
  const format = 'format' in sniffed ? sniffed.format : ''
  if (format !== 'mp4' && format !== 'webm' && format !== 'gif') {
    throw new Error(`A clip must be an mp4, webm or gif file. Got ${format || sniffed.kind}`)
  }
  const mended = join(await scratchOf(task), `mended-${digest}`)
  const clip = await readableClip({ file, format }, mended)
  const header = await clipHeaders.get(digest, async () => {
    const read = await readClipHeader(clip, { sandbox, signal: task.signal })
    if ('failure' in read)
      throw new Error(`A clip passed inspection and then failed: ${read.failure}`)
    return read
  })
  return { clip, header }
}

/** Run of a clip's frames that is being decoded. */
type Decoding = {
  readonly pixels: ClipPixels
  readonly stream: ClipStream
  /** Remaining frames, and the last frame of the film that shows each. */
  readonly frames: readonly number[]
  readonly lastUses: ReadonlyMap<number, number>
  readonly cached: Map<number, Bitmap>
  /** Buffer into which the frames are read in turn. */
  readonly rgba: Buffer
  next: number
}

/**
 * Bitmaps of one clip that are free for reuse. `last`: still drawn until the next frame is shown.
 */
type Spare = { readonly free: Bitmap[]; last: Bitmap[] }

/**
 * Decodes the clip frames of a segment on demand. It holds the frames shown now, and those that a
 * short clip shows again soon (clip-runs.ts). Each clip has its own decoder; the plan limits how
 * many are visible at once (core/timeline/clips-at-once.ts).
 */
export class ClipFrameReader {
  readonly #task: TaskContext
  readonly #open: (digest: string) => Promise<OpenClip>
  readonly #fieldOf: (digest: string) => string | undefined
  /** Keyed by frame of the film. */
  readonly #wanted: ReadonlyMap<number, readonly ClipPixels[]>
  /** Keyed by clip, without the frame. */
  readonly #uses: ReadonlyMap<string, readonly ClipUse[]>
  readonly #runs = new Map<string, ReturnType<typeof runsOf>>()
  readonly #decoding = new Map<object, Decoding>()
  /** Keyed by clip, without the frame. */
  readonly #spare = new Map<string, Spare>()
  #shown = new Map<string, Bitmap>()

  constructor(context: {
    task: TaskContext
    /** Clip frames that each frame of the film shows. */
    uses: readonly { readonly at: number; readonly pixels: readonly ClipPixels[] }[]
    open: (digest: string) => Promise<OpenClip>
    fieldOf: (digest: string) => string | undefined
  }) {
    this.#task = context.task
    this.#open = context.open
    this.#fieldOf = context.fieldOf
    this.#wanted = new Map(context.uses.map(({ at, pixels }) => [at, pixels]))
    const uses = new Map<string, ClipUse[]>()
    for (const { at, pixels } of context.uses) {
      for (const each of pixels) {
        const name = clipName(each)
        const list = uses.get(name) ?? []
        list.push({ at, frame: each.frame })
        uses.set(name, list)
      }
    }
    this.#uses = uses
  }

  /** Resolves when all clips of frame `n` can be drawn; earlier ones are dropped. */
  async show(n: number): Promise<void> {
    for (const spare of this.#spare.values()) spare.free.push(...spare.last.splice(0))
    const shown = new Map<string, Bitmap>()
    for (const pixels of this.#wanted.get(n) ?? []) {
      shown.set(pixelsName(pixels), await this.#frame(pixels, n))
    }
    this.#shown = shown
    for (const [run, decoding] of this.#decoding) {
      for (const frame of decoding.cached.keys()) {
        if ((decoding.lastUses.get(frame) ?? 0) <= n) this.#drop(decoding, frame)
      }
      if (decoding.next < decoding.frames.length || decoding.cached.size > 0) continue
      this.#decoding.delete(run)
      freePixels(decoding.rgba)
      await decoding.stream.close()
    }
  }

  /** Releases a bitmap later: frame `n` may still be painted from it. */
  #drop({ cached, pixels }: Decoding, frame: number): void {
    const bitmap = cached.get(frame)
    if (bitmap) this.#spareOf(pixels).last.push(bitmap)
    cached.delete(frame)
  }

  #spareOf(pixels: ClipPixels): Spare {
    const name = clipName(pixels)
    const spare = this.#spare.get(name) ?? { free: [], last: [] }
    this.#spare.set(name, spare)
    return spare
  }

  /** Returns a bitmap for the painter. @throws Error for a frame that is not shown now */
  bitmap(pixels: Pixels): Bitmap {
    const bitmap = this.#shown.get(pixelsName(pixels))
    if (bitmap) return bitmap
    throw new Error(`A clip must be shown before it is painted. Got ${pixelsName(pixels)}`)
  }

  async close(): Promise<void> {
    const decodings = [...this.#decoding.values()]
    this.#decoding.clear()
    this.#spare.clear()
    this.#shown.clear()
    await Promise.all(decodings.map(({ stream }) => stream.close()))
  }

  async #frame(pixels: ClipPixels, n: number): Promise<Bitmap> {
    const decoding = await this.#decodingOf(pixels, n)
    const { cached, frames, lastUses } = decoding
    const [width, height] = pixels.size
    while (!cached.has(pixels.frame)) {
      const frame = frames[decoding.next]
      if (frame === undefined || frame > pixels.frame) {
        throw new Error(`A clip's frame ${pixels.frame} must be in its run. Got ${frame}`)
      }
      const rgba = await this.#read(decoding, frame)
      decoding.next += 1
      if ((lastUses.get(frame) ?? 0) < n) continue
      const into = this.#spareOf(pixels).free.pop()
      cached.set(frame, this.#task.node.canvas.bitmapFromRgba({ width, height, rgba }, into))
    }
    return cached.get(pixels.frame) as Bitmap
  }

  async #read({ stream, pixels, rgba }: Decoding, frame: number): Promise<Buffer> {
    try {
      return await stream.next(rgba)
    } catch (error) {
      if (!(error instanceof BrokenClip)) throw error
      const second = (frame * pixels.frameRate[1]) / pixels.frameRate[0]
      const field = this.#fieldOf(pixels.digest)
      throw new FarmError(
        'media_invalid',
        `The clip must be whole and undamaged. It breaks at about ${second.toFixed(2)} s.`,
        { ...(field !== undefined && { field }), cause: error.message },
      )
    }
  }

  async #decodingOf(pixels: ClipPixels, n: number): Promise<Decoding> {
    const open = await this.#open(pixels.digest)
    const name = clipName(pixels)
    const runs = this.#runs.get(name) ?? runsOf(this.#uses.get(name) ?? [], pixels.size)
    this.#runs.set(name, runs)
    const run = runs.find(({ uses }) => uses.has(`${n} ${pixels.frame}`))
    if (!run) throw new Error(`Frame ${n} must be among the reel's. Got a clip's ${pixels.frame}`)
    const running = this.#decoding.get(run)
    if (running) return running
    const { sandbox } = this.#task.node
    const wanted = { ...pixels, frames: run.frames }
    const stream = openClipStream({ ...open, wanted }, { sandbox, signal: this.#task.signal })
    const [width, height] = pixels.size
    const rgba = Buffer.allocUnsafe(width * height * 4)
    const decoding = { pixels, stream, ...run, cached: new Map(), rgba, next: 0 }
    this.#decoding.set(run, decoding)
    return decoding
  }
}

function usesIn(timeline: Timeline, { start, frames }: Pick<Segment, 'start' | 'frames'>) {
  return Array.from({ length: frames }, (_, n) => {
    const clips = picturesOf(describeFrame(timeline, start + n).commands).flatMap(({ pixels }) =>
      pixels.kind === 'clip' ? [[pixelsName(pixels), pixels] as const] : [],
    )
    return { at: start + n, pixels: [...new Map(clips).values()] }
  })
}

/** Names the clip and its preparation, without the frame. */
function clipName(pixels: ClipPixels): string {
  return pixelsName({ ...pixels, frame: 0 })
}

/** Returns the first place in the request that shows the clip. */
function fieldIn(plan: Plan, digest: string): string | undefined {
  const element = elementsOf(plan.timeline).find(({ pixels }) => pixels.digest === digest)
  return element && `${element.field}.src`
}
