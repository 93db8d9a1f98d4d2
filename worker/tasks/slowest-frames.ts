import type { RunningSpan } from '../../runtime/tracing/tracing.ts'

/** A frame's own span each would be thousands a film: the slowest of a segment say where it went. */
const told = 3

/** ms of a painted frame's work: getting what it shows, painting it, handing it to the encoder. */
type FrameTimes = { readonly sources: number; readonly paint: number; readonly encode: number }

/** Follows the frames of a segment for its span. */
export type FrameWatch = {
  /** Of the picture that is first seen at `frame` of the film. Steps in their order. */
  begin(frame: number): { done(step: keyof FrameTimes): void }
  /** Notes the totals, and the slowest pictures as events. */
  tell(): void
}

const nothing = { done: () => undefined }
const unwatched: FrameWatch = { begin: () => nothing, tell: () => undefined }

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
          slowest.length = Math.min(slowest.length, told)
        },
      }
    },
    tell() {
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
