import { join } from 'node:path'
import type { Run } from '../../core/plan/runs.ts'
import type { TaskContext } from '../context.ts'
import { insertRepeats } from '../still-frames/index.ts'
import type { EncodedSegment, SegmentRenderer, StartedSegment } from './frame-source.ts'
import { watchFrames } from './slowest-frames.ts'

/**
 * Makes a run's frame for the encoder; its bytes stay valid until the frame after the next is made.
 */
export type MakeFrame = (run: Run, nth: number) => Promise<Buffer>

/** Returns the renderer of a source that only makes frames: it encodes them, whatever made them. */
export function encodeFrames(
  segment: StartedSegment,
  makeFrame: MakeFrame,
  task: TaskContext,
): SegmentRenderer {
  return () => encodeAndRepeat({ ...segment, makeFrame }, task)
}

type FramesWork = StartedSegment & { readonly makeFrame: MakeFrame }

/** Encodes the runs and inserts their repeated frames. */
async function encodeAndRepeat(work: FramesWork, task: TaskContext): Promise<EncodedSegment> {
  const { runs, watch, segment } = work
  if (runs.every(({ frames, encoded }) => encoded === frames)) return encodeRuns(work, task)
  const made = runs.length === 1 ? await encodedStill(work, task) : await encodeRuns(work, task)
  const file = join(task.dir, `held-${segment.index}`)
  await watch.time('hold', () => insertRepeats({ from: made.file, to: file }, runs))
  return { ...made, file }
}

/**
 * Encodes a still once per task: parts of one still differ only in how long they are held
 * (core/plan/segments.ts), and the encoder gets the same frames.
 */
async function encodedStill(work: FramesWork, task: TaskContext): Promise<EncodedSegment> {
  const key = JSON.stringify(work.runs.map(({ encoded, commands }) => [encoded, commands]))
  const before = work.encodedStills.get(key)
  if (before) {
    const { file } = await before
    const { frames } = work.segment
    work.span.set({ 'farm.frames.painted': 0, 'farm.frames.repeated': frames })
    task.progress(frames)
    task.node.metrics.framesRendered('repeated', frames)
    return { file }
  }
  const made = encodeRuns(work, task)
  work.encodedStills.set(key, made)
  return await made
}

/**
 * Makes the frame of each run once and sends it to the encoder once per frame; of a long run the
 * encoder gets the beginning.
 */
async function encodeRuns(
  { runs, makeFrame, sources, pictures, encoder, yuv, watch, span }: FramesWork,
  { node, signal, progress }: TaskContext,
): Promise<EncodedSegment> {
  const pipe = await encoder.start()
  const watched = watchFrames(span, watch.slowFrames)
  let pixels: Buffer = Buffer.alloc(0)
  await pictures
  for (const [nth, run] of runs.entries()) {
    const { start, frames, encoded } = run
    signal.throwIfAborted()
    const times = watched.begin(start)
    await watch.time('clips', () => sources.clips.show(start))
    await watch.time('moments', () => sources.animationFrames.show(start))
    times.done('sources')
    pixels = await makeFrame(run, nth)
    times.done('paint')
    for (let i = 0; i < encoded; i += 1) await watch.time('encode', () => pipe.write(pixels))
    times.done('encode')
    progress(frames)
    node.metrics.framesRendered('painted', 1)
    node.metrics.framesRendered('repeated', frames - 1)
  }
  await watch.time('encode', () => pipe.end())
  watched.report()
  return { file: encoder.output, last: { width: yuv.width, height: yuv.height, pixels } }
}
