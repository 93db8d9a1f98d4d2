import type { TaskContext } from '../context.ts'
import { composed } from './composed.ts'
import type { FrameSource, SegmentRenderer, StartedSegment } from './frame-source.ts'
import { overClip } from './over-clip.ts'
import { painter } from './painter.ts'
import { patched } from './patched.ts'

/** All sources, cheapest first. The last one takes any segment and defines the pixels. */
const frameSources: readonly FrameSource[] = [overClip, patched, composed, painter]

export const frameSourceNames = frameSources.map(({ name }) => name)

/** Returns the names that are used when only `asked` are wanted: the painter is never left out. */
export function withPainter(asked: readonly string[]): readonly string[] {
  return frameSourceNames.filter((name) => asked.includes(name) || name === painter.name)
}

/**
 * Returns the device's name in offers, plans and fingerprints. Restricting the sources changes
 * pixels as another device does, so that restricted nodes share no segments with others.
 */
export function deviceWith(device: string, names: readonly string[]): string {
  const isRestricted = names.length < frameSources.length
  return isRestricted ? `${device}, frames by ${names.join(', ')}` : device
}

/** Returns the first of the node's sources that takes the segment, by name, and its renderer. */
export async function takeSegment(
  segment: StartedSegment,
  task: TaskContext,
): Promise<{ readonly name: string; readonly render: SegmentRenderer }> {
  for (const { name, take } of frameSources) {
    if (!task.node.frameSources.includes(name)) continue
    const render = await take(segment, task)
    if (render) return { name, render }
  }
  throw new Error('The painter must take any segment. It declined one')
}
