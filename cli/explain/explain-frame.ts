import { readFileSync } from 'node:fs'
import { timelineOf } from '../../core/plan/outline.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { FrameDescription } from '../../core/timeline/draw.ts'
import { describeFrame } from '../../core/timeline/frame.ts'
import type { Timeline } from '../../core/timeline/types.ts'
import { usage } from '../failure.ts'
import { inOrder, type ValidateOptions, validateProjectFile } from '../render/validate-file.ts'

export type ExplainedFrame = FrameDescription & {
  readonly frame: number
  /** Time in the film. */
  readonly second: number
  /** False where sizes of media and texts are stand-ins. */
  readonly measured: boolean
}

/** Describes frame `n` of a project, or of a job's plan.json. @throws Failure */
export function explainFrame(options: ValidateOptions, n: number): ExplainedFrame {
  const plan = readPlan(options.file)
  const timeline = plan?.timeline ?? projectTimeline(options)
  if (n >= timeline.frames) {
    throw usage(`--frame must be less than ${timeline.frames}, the film's frames. Got ${n}`)
  }
  const second = timeline.firstSecond + n / timeline.frameRate
  const measured = plan !== undefined
  return { frame: n, second, measured, ...describeFrame(timeline, n) }
}

function projectTimeline(options: ValidateOptions): Timeline {
  const validated = validateProjectFile(options)
  return timelineOf(inOrder(validated, options).project, validated.pathOf)
}

/** Reads the file as a plan; undefined for all else, which `validateProjectFile` reports. */
function readPlan(file: string): Pick<Plan, 'timeline'> | undefined {
  try {
    const found: Partial<Plan> | null = JSON.parse(readFileSync(file, 'utf8'))
    return found?.engine && found.timeline ? { timeline: found.timeline } : undefined
  } catch {
    return undefined
  }
}
