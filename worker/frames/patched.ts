import { movingArea } from '../../core/plan/moving-area.ts'
import { createPainter } from '../paint/painter.ts'
import { encodeFrames } from './encode-frames.ts'
import type { FrameSource } from './frame-source.ts'
import { PatchedFrames } from './patched-frames.ts'

/** Paints the first frame whole, then only the area that moves (decision 0061). */
export const patched: FrameSource = {
  name: 'patched',
  async take(segment, task) {
    const { plan, runs, painter, yuv, watch, bitmap, span } = segment
    const { width, height } = plan.timeline
    const area = movingArea(runs, plan.timeline)
    if (!area) return undefined
    span.set({ 'farm.patched': true })
    const { canvas: backend, copies } = task.node
    const size = { width: area[2], height: area[3] }
    const whole = { width, height }
    const frames = new PatchedFrames({
      ...{ area, size: whole },
      painter: createPainter({ backend, copies, ...size, whole, bitmap }),
      makeWhole: async (commands) => yuv.convert(await painter.paint({ ...whole, commands })),
    })
    return encodeFrames(
      segment,
      ({ commands }) => watch.time('paint', () => frames.make(commands)),
      task,
    )
  },
}
