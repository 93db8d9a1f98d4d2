import { type SlowFrame, slowFramesMax } from '../../core/queue/tasks.ts'
import type { RunningSpan } from '../../runtime/tracing/tracing.ts'

/** Steps of a painted frame: loading its sources, painting it, handing it to the encoder. */
type FrameStep = 'sources' | 'paint' | 'encode'

/** Times the frames of a segment. */
export type FrameWatch = {
  /** Starts timing the picture first shown at `frame` of the film. Steps come in order. */
  begin(frame: number): { done(step: FrameStep): void }
  /** Records the totals on the span, and the slowest pictures as events: a span a frame would be thousands. */
  report(): void
}

/** Keeps the slowest pictures, slowest first. */
export class SlowestFrames<Frame extends SlowFrame = SlowFrame> {
  readonly #kept: Frame[] = []

  add(frame: Frame): void {
    const last = this.#kept[slowFramesMax - 1]
    if (last && sumOf(last) >= sumOf(frame)) return
    this.#kept.push(frame)
    this.#kept.sort((a, b) => sumOf(b) - sumOf(a))
    this.#kept.length = Math.min(this.#kept.length, slowFramesMax)
  }

  list(): Frame[] {
    return [...this.#kept]
  }
}

const sumOf = ({ sources, paint, encode }: SlowFrame) => sources + paint + encode

/** Times a segment's frames for its span, and adds the slowest to those of the task. */
export function watchFrames(span: RunningSpan, ofTask: SlowestFrames): FrameWatch {
  const total = { sources: 0, paint: 0, encode: 0 }
  const slowest = new SlowestFrames<SlowFrame & { readonly at: number }>()
  return {
    begin(frame) {
      const at = Date.now()
      const times = { sources: 0, paint: 0, encode: 0 }
      let before = performance.now()
      return {
        done(step) {
          const now = performance.now()
          times[step] = now - before
          total[step] += now - before
          before = now
          if (step === 'encode') slowest.add({ frame, at, ...times })
        },
      }
    },
    report() {
      for (const { at: _, ...frame } of slowest.list()) ofTask.add(frame)
      if (!span.isRecording) return
      span.set(inMs(total))
      for (const { frame, at, ...times } of slowest.list().toSorted((a, b) => a.at - b.at)) {
        span.event('slow frame', { 'farm.frame': frame, ...inMs(times) }, at)
      }
    },
  }
}

function inMs({ sources, paint, encode }: Record<FrameStep, number>) {
  return {
    'farm.sources.ms': rounded(sources),
    'farm.paint.ms': rounded(paint),
    'farm.encode.ms': rounded(encode),
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}
