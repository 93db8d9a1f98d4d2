import type { ExplainedTimes, Spent } from './spent-times.ts'
import type { SpentStage, Step } from './time-labels.ts'

/** Job that is not worth any advice, s. */
const quickSeconds = 2
/** Share of lost work that explains a slow job. */
const muchAgain = 0.25

/** Returns one sentence on how the next job gets faster; for what costs most. */
export function adviceOf(times: Omit<ExplainedTimes, 'advice'>): string {
  const { seconds, stages, steps, againSeconds, slowElements } = times
  const [stage] = longest(stages)
  if (!stage || seconds < quickSeconds) return 'Nothing stands out: the job took seconds.'
  const name = stage.name as SpentStage
  if (againSeconds > muchAgain * seconds && (name === 'render' || name === 'ingest')) {
    return `${short(againSeconds)} s of work were done again after failed attempts; the course says why.`
  }
  const percent = `${Math.round(stage.share * 100)} %`
  if (name === 'queue') {
    return `The job waited ${percent} of its time for its turn: fewer jobs at once, or a larger plan, start it sooner.`
  }
  if (name === 'ingest') {
    const [slow] = slowElements
    const which = slow?.fetchSeconds
      ? ` ${slow.field} took longest, ${short(slow.fetchSeconds)} s.`
      : ''
    return `Fetching media took ${percent} of the time.${which} Uploads to the farm need no fetching.`
  }
  if (name === 'bake') {
    return `Painting texts and code took ${percent} of the time: shorter customCode, and texts without it, are painted faster.`
  }
  if (name === 'render') return renderAdvice(steps, times)
  if (name === 'assemble') {
    return `Joining the film took ${percent} of the time: mp4 is joined fastest.`
  }
  return `Most of the time, ${percent}, went into ${stage.label}; the project cannot change that.`
}

function renderAdvice(
  steps: readonly Spent[],
  { slowFrames }: Pick<ExplainedTimes, 'slowFrames'>,
): string {
  const [step] = longest(steps)
  if (!step) return 'Most of the time went into rendering.'
  const percent = `${Math.round(step.share * 100)} %`
  const cause = causes[step.name as Step] ?? 'fewer pixels and fewer frames shorten it'
  const [slow] = slowFrames
  const where =
    slow?.second == null ? '' : ` The slowest frame is ${slow.frame}, at ${short(slow.second)} s.`
  return `Rendering: ${step.label} took ${percent} of the machines’ time; ${cause}.${where}`
}

const causes: Partial<Record<Step, string>> = {
  clips: 'clips in the size and frame rate of the film are decoded fastest',
  pictures: 'pictures in the size in which they are shown are decoded fastest',
  moments: 'shorter customCode has fewer pictures to decode',
  paint: 'fewer moving, transparent or filtered layers are painted faster',
  compose: 'photographs in the size in which they are shown are composed faster',
  convert: 'a smaller film has fewer pixels to convert',
  encode: 'a smaller film or a lower frame rate has less to encode',
  upload: 'the store was slow, which the project cannot change',
  download: 'the store was slow, which the project cannot change',
}

const longest = (spent: readonly Spent[]) => spent.toSorted((a, b) => b.seconds - a.seconds)
const short = (seconds: number) => (seconds < 10 ? seconds.toFixed(1) : Math.round(seconds))
