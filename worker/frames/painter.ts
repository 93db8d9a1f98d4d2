import { encodeFrames } from './encode-frames.ts'
import type { FrameSource } from './frame-source.ts'

/** Paints each frame whole. It takes any segment, and the other sources are measured by it. */
export const painter: FrameSource = {
  name: 'painter',
  async take(segment, task) {
    const { plan, watch, yuv } = segment
    const { width, height } = plan.timeline
    const paint = segment.painter.paint
    return encodeFrames(
      segment,
      async ({ commands }) => {
        const rgba = await watch.time('paint', () => paint({ width, height, commands }))
        return await watch.time('convert', async () => yuv.convert(rgba))
      },
      task,
    )
  },
}
