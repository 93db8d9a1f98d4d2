import type { JobTimeline as Timeline } from '../../../client/jobs.ts'

type Segment = Timeline['segments'][number]

/** Shows the segments along the film: done, painted now, waiting, or there already. */
export function Segments({
  segments,
  lit,
  onPoint,
}: {
  segments: readonly Segment[]
  lit: readonly number[]
  onPoint: (index: number) => void
}) {
  const last = segments.at(-1)
  const frames = last ? last.firstFrame + last.frames : 1
  return (
    <svg class="segments" viewBox={`0 0 ${frames} 10`} preserveAspectRatio="none" role="img">
      <title>Segments of the film, in its own time</title>
      {segments.map((segment) => {
        const { index, firstFrame, frames: length, state } = segment
        return (
          <rect
            key={index}
            class={`segment ${state} ${lit.includes(index) ? 'lit' : ''}`}
            x={firstFrame}
            y={0}
            width={length}
            height={10}
            onPointerEnter={() => onPoint(index)}
          >
            <title>{segmentWords(segment)}</title>
          </rect>
        )
      })}
    </svg>
  )
}

export const segmentWords = ({ index, frames, state }: Segment) =>
  `segment ${index}, ${frames} frames: ${state}`
