import type { TaskContext } from '../context.ts'
import { composed } from './composed.ts'
import type { FrameSource, SegmentRenderer, StartedSegment } from './frame-source.ts'
import { overClip } from './over-clip.ts'
import { painter } from './painter.ts'
import { patched } from './patched.ts'

/** All sources, cheapest first. The last one takes any segment and defines the pixels. */
const frameSources: readonly FrameSource[] = [overClip, patched, composed, painter]

/** Returns the first source that takes the segment, by name, and its renderer. */
export async function takeSegment(
  segment: StartedSegment,
  task: TaskContext,
): Promise<{ readonly name: string; readonly render: SegmentRenderer }> {
  for (const { name, take } of frameSources) {
    const render = await take(segment, task)
    if (render) return { name, render }
  }
  throw new Error('The painter must take any segment. It declined one')
}
