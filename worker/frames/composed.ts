import { layersOfRuns } from '../../core/plan/layers.ts'
import { encodeFrames } from './encode-frames.ts'
import type { FrameSource } from './frame-source.ts'

/**
 * Composes photographs in YUV without a canvas (decision 0049). It declines when they turn out not
 * to be opaque; the encoder starts while they are loaded, as the painter needs it too.
 */
export const composed: FrameSource = {
  name: 'composed',
  async take(segment, task) {
    const { plan, runs, composer, pictures, encoder, watch, span } = segment
    const layers = plan.canvas.backend === 'napi' ? layersOfRuns(runs, plan.timeline) : undefined
    if (!layers) return undefined
    // A still may be one that this task has encoded before.
    if (runs.length > 1) void encoder.start()
    await pictures
    const isComposed = await watch.time('pictures', () => composer.canCompose(layers))
    span.set({ 'farm.composed': isComposed })
    if (!isComposed) return undefined
    return encodeFrames(
      segment,
      (_, nth) => watch.time('compose', () => composer.compose(layers[nth] ?? [])),
      task,
    )
  },
}
