import type { RunningSpan } from '../../runtime/tracing/tracing.ts'

/** Slowest frames that a segment's span reports: one span per frame would be thousands a film. */
const reportedMax = 3

/** Milliseconds of a painted frame: loading its sources, painting it, handing it to the encoder. */
type FrameTimes = { readonly sources: number; readonly paint: number; readonly encode: number }

/** Times the frames of a segment for its span. */
export type FrameWatch = {
  /** Starts timing the picture first shown at `frame` of the film. Steps come in order. */
  begin(frame: number): { done(step: keyof FrameTimes): void }
  /** Records the totals, and the slowest pictures as events. */
  report(): void
}

const nothing = { done: () => undefined }
const unwatched: FrameWatch = { begin: () => nothing, report: () => undefined }

export function watchFrames(span: RunningSpan): FrameWatch {
  if (!span.isRecording) return unwatched
  const total = { sources: 0, paint: 0, encode: 0 }
  const slowest: { frame: number; at: number; sum: number; times: FrameTimes }[] = []
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
          if (step !== 'encode') return
          slowest.push({ frame, at, times, sum: times.sources + times.paint + times.encode })
          slowest.sort((a, b) => b.sum - a.sum)
          slowest.length = Math.min(slowest.length, reportedMax)
        },
      }
    },
    report() {
      span.set(inMs(total))
      for (const { frame, at, times } of slowest.toSorted((a, b) => a.at - b.at)) {
        span.event('slow frame', { 'farm.frame': frame, ...inMs(times) }, at)
      }
    },
  }
}

function inMs({ sources, paint, encode }: FrameTimes) {
  return {
    'farm.sources.ms': rounded(sources),
    'farm.paint.ms': rounded(paint),
    'farm.encode.ms': rounded(encode),
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}
