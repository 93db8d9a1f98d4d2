import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { AttemptState } from '../queue/task-states.ts'
import { SlowFrame, StageSeconds, slowFramesMax, type TaskKind } from '../queue/tasks.ts'
import { adviceOf } from './advice.ts'
import type { JobStage } from './jobs.ts'
import type { ExplainedTimes, Spent } from './spent-times.ts'
import { type SpentStage, type Step, stageLabels, stepLabels } from './time-labels.ts'

/** A task with its attempts, as stored. `seconds` and `slowFrames` come from a node and are unchecked. */
export type SpentTask = {
  readonly kind: TaskKind
  /** Path of the element whose file it fetches. */
  readonly field: string | null
  readonly seconds: unknown
  readonly slowFrames: unknown
  readonly attempts: readonly { readonly state: AttemptState; readonly seconds: number }[]
}

/** Times of a job, seconds since its submission. */
export type JobClock = {
  /** Its end; of an open job the present. */
  readonly seconds: number
  /** First entry into each stage. */
  readonly entered: readonly { readonly name: JobStage; readonly at: number }[]
}

/** Tells what a frame of the film shows. */
export type FrameFacts = { readonly second: number; readonly elements: readonly string[] }

const elementsMax = 5

/** Explains where a job's time went. `describe`: absent where the film's plan is not there. */
export function explainTimes({
  clock,
  tasks,
  describe,
}: {
  readonly clock: JobClock
  readonly tasks: readonly SpentTask[]
  readonly describe?: ((frame: number) => FrameFacts) | undefined
}): ExplainedTimes {
  const frames = slowestOf(tasks).map(({ frame, ...times }) => {
    const [mostly = 'paint'] = (['sources', 'paint', 'encode'] as const).toSorted(
      (a, b) => times[b] - times[a],
    )
    const facts = describe?.(frame)
    return {
      ...{ frame, second: facts?.second ?? null, mostly },
      milliseconds: rounded(times.sources + times.paint + times.encode),
      elements: [...(facts?.elements ?? [])],
    }
  })
  const known = {
    seconds: rounded(clock.seconds),
    stages: stagesOf(clock),
    steps: stepsOf(tasks),
    againSeconds: rounded(sum(tasks.flatMap(({ attempts }) => attempts.map(wasted)))),
    slowFrames: frames,
    slowElements: elementsOf(tasks, frames),
  }
  return { ...known, advice: adviceOf(known) }
}

function stagesOf({ seconds, entered }: JobClock): Spent[] {
  const all: { name: SpentStage; at: number }[] = [
    { name: 'queue', at: 0 },
    ...entered.toSorted((a, b) => a.at - b.at),
  ]
  return all.map(({ name, at }, i) => {
    const spent = Math.max(0, (all[i + 1]?.at ?? seconds) - at)
    return spentOn(name, stageLabels[name], { spent, of: seconds })
  })
}

/** Adds up the steps by name. A name that is unknown here is left out: a node may say anything. */
function stepsOf(tasks: readonly SpentTask[]): Spent[] {
  const spent = new Map<Step, number>()
  for (const { seconds } of tasks) {
    if (!Check(StageSeconds, seconds)) continue
    for (const [name, value] of Object.entries(seconds)) {
      if (!isStep(name) || !(value > 0)) continue
      spent.set(name, (spent.get(name) ?? 0) + value)
    }
  }
  const all = sum([...spent.values()])
  return [...spent]
    .map(([name, value]) => spentOn(name, stepLabels[name], { spent: value, of: all }))
    .toSorted((a, b) => b.seconds - a.seconds)
}

const isStep = (name: string): name is Step => Object.hasOwn(stepLabels, name)

function spentOn(name: string, label: string, { spent, of }: { spent: number; of: number }) {
  const share = of > 0 ? Math.min(1, spent / of) : 0
  return { name, label, seconds: rounded(spent), share: Math.round(share * 1000) / 1000 }
}

const slowness = ({ sources, paint, encode }: SlowFrame) => sources + paint + encode

function slowestOf(tasks: readonly SpentTask[]): SlowFrame[] {
  const Frames = Type.Array(SlowFrame)
  return tasks
    .flatMap(({ slowFrames }) => (Check(Frames, slowFrames) ? slowFrames : []))
    .toSorted((a, b) => slowness(b) - slowness(a))
    .slice(0, slowFramesMax)
}

/** Seconds of an attempt that brought nothing, though the job needed it. */
function wasted({ state, seconds }: SpentTask['attempts'][number]): number {
  return state === 'lost' || state === 'failed' || state === 'returned' ? seconds : 0
}

function elementsOf(
  tasks: readonly SpentTask[],
  frames: ExplainedTimes['slowFrames'],
): ExplainedTimes['slowElements'] {
  const fetched = new Map<string, number>()
  for (const { field, attempts } of tasks) {
    if (field === null) continue
    const name = elementOf(field)
    fetched.set(name, (fetched.get(name) ?? 0) + sum(attempts.map(({ seconds }) => seconds)))
  }
  const shown = Map.groupBy(
    frames.flatMap(({ elements }) => elements.map(elementOf)),
    (field) => field,
  )
  return [...new Set([...fetched.keys(), ...shown.keys()])]
    .map((field) => {
      const seconds = fetched.get(field)
      return {
        ...{ field, fetchSeconds: seconds === undefined ? null : rounded(seconds) },
        slowFrames: shown.get(field)?.length ?? 0,
      }
    })
    .toSorted(
      (a, b) => (b.fetchSeconds ?? 0) - (a.fetchSeconds ?? 0) || b.slowFrames - a.slowFrames,
    )
    .slice(0, elementsMax)
}

/** `scenes[0].visuals[2].src` belongs to the element `scenes[0].visuals[2]`. */
const elementOf = (field: string) => field.replace(/\.src$/, '')

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
const rounded = (value: number) => Math.round(value * 1000) / 1000
