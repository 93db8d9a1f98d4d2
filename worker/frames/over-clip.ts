import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FarmError } from '../../core/errors.ts'
import { seenFrom } from '../../core/plan/area.ts'
import { type OverClip, overClip as overClipOf } from '../../core/plan/bottom-clip.ts'
import type { TaskContext } from '../context.ts'
import { EncoderFailed } from '../encode/frame-pipe.ts'
import { toYuva } from '../encode/yuv/yuva.ts'
import { freePixels } from '../paint/free-pixels.ts'
import { createPainter } from '../paint/painter.ts'
import type { OpenClip } from '../sources/clip-sources.ts'
import { previewSide } from '../tasks/preview.ts'
import type { EncodedSegment, FrameSource, StartedSegment } from './frame-source.ts'
import { encodeOverClip } from './over-clip-encoder.ts'

/**
 * Leaves a clip that fills the canvas in ffmpeg, and paints only the layers above (decision 0023).
 * It makes the file itself, so it declines segments with repeated frames.
 */
export const overClip: FrameSource = {
  name: 'over-clip',
  async take(segment, task) {
    const { plan, runs, clips, span } = segment
    const isRepeated = runs.some(({ frames, encoded }) => encoded < frames)
    const over = isRepeated ? undefined : overClipOf(runs, plan.timeline)
    if (!over) return undefined
    const clip = await clips.open(over.pixels.digest)
    if (clip.header.hasAlpha) return undefined
    span.set({ 'farm.over_clip': true, 'farm.frames.painted': over.above.length })
    return () => renderOverClip({ ...segment, ...clip, over }, task)
  },
}

/** Paints the layers above the clip when they change, cropped to their area. */
async function renderOverClip(
  { plan, segment, over, ...tools }: StartedSegment & { over: OverClip } & OpenClip,
  task: TaskContext,
): Promise<EncodedSegment> {
  const { clip, header, keyFrames, pictures, sources, bitmap, watch, span, isPreviewed } = tools
  const { node, signal, progress } = task
  const dir = join(task.dir, `over-clip-${segment.index}`)
  await mkdir(dir)
  const area = over.area ?? [0, 0, 2, 2]
  const size = { width: area[2], height: area[3] }
  const painter = createPainter({ backend: node.canvas, copies: node.copies, ...size, bitmap })
  const picture = async (index: number) => {
    const { at = 0, commands: above = [] } = over.above[index] ?? {}
    const commands = seenFrom(above, area)
    await pictures
    await watch.time('moments', () => sources.animationFrames.show(segment.start + at))
    const rgba = await watch.time('paint', () => painter.paint({ ...size, commands }))
    const pixels = await watch.time('convert', async () => toYuva(rgba, size))
    freePixels(rgba)
    return pixels
  }
  const { sandbox, pipes } = node
  const work = { sandbox, pipes, dir, signal, picture, progress }
  const format = { ...plan.timeline, encoder: plan.encoder }
  const gpuFlags = await node.gpuDecoding.flagsFor(clip, header)
  signal.throwIfAborted()
  span.set({ 'farm.gpu_decoding': gpuFlags.length > 0 })
  try {
    const shown = isPreviewed ? { previewSide } : {}
    const job = { over, clip, header, keyFrames, gpuFlags, format, ...shown }
    const { file, preview } = await watch.time('encode', () => encodeOverClip(job, work))
    node.metrics.framesRendered('over_clip', segment.frames)
    return { file, ...(preview !== undefined && { shown: preview }) }
  } catch (error) {
    signal.throwIfAborted()
    // Reading the clip frame by frame tells whether and where it is damaged.
    if (!(error instanceof FarmError)) {
      for (let i = 0; i < segment.frames; i += 1) await sources.clips.show(segment.start + i)
      const isOfGpu = gpuFlags.length > 0 && error instanceof EncoderFailed
      if (isOfGpu) node.gpuDecoding.giveUp()
    }
    throw error
  }
}
