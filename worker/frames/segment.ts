import { encodedFramesOf, runsOf } from '../../core/plan/runs.ts'
import type { TaskContext } from '../context.ts'
import type { EncodedSegment, SegmentWork } from './frame-source.ts'
import { segmentEncoder } from './segment-encoder.ts'
import { takeSegment } from './sources.ts'

/**
 * Renders one segment by the first frame source that takes it. Its pictures load meanwhile. Their
 * errors surface where they are awaited, and loading has ended when this settles. Segments are
 * joined by tasks/finish-film.ts.
 */
export async function renderSegment(work: SegmentWork, task: TaskContext): Promise<EncodedSegment> {
  const { plan, segment, watch, pictureStore, span } = work
  const pictures = watch.time('pictures', () => pictureStore.acquire(segment.pixels))
  const ended = pictures.catch(() => undefined)
  try {
    const { timeline, encoder: settings } = plan
    const runs = [...runsOf(timeline, segment)].map((run) => ({
      ...run,
      encoded: encodedFramesOf(run, { frameRate: timeline.frameRate, encoder: settings }),
    }))
    span.set({
      'farm.segment': segment.index,
      'farm.frames': segment.frames,
      'farm.frames.painted': runs.length,
      'farm.frames.repeated': segment.frames - runs.length,
    })
    const encoder = segmentEncoder({ plan, segment, runs }, task)
    try {
      const { name, render } = await takeSegment({ ...work, runs, pictures, encoder }, task)
      span.set({ 'farm.frame_source': name })
      const { index, frames } = segment
      task.notes.info(
        { segment: index, frames, painted: runs.length, source: name },
        'segment begun',
      )
      return await render()
    } finally {
      await encoder.stop()
    }
  } finally {
    await ended
  }
}
