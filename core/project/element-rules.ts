import type { PlanLimits } from '../accounts/plans.ts'
import { isVisualKind, visualTypes } from '../visuals/visual-types.ts'
import { isRecord } from './check.ts'
import { childOf } from './report.ts'
import { inOrder, limitNumber, type RuleContext, sentence } from './rule-words.ts'
import { designerMaxLength } from './schema/parts.ts'

/** Rules for one visual or audio item of a filled tree. */

type Item = Readonly<Record<string, unknown>>
type Limits = readonly (readonly [keyof PlanLimits, readonly string[]])[]

const visualLimits: Limits = [
  ['positionPx', ['x', 'y']],
  ['elementPx', ['width', 'height']],
  ['durationSeconds', ['enterBegin', 'enterEnd', 'exitBegin', 'exitEnd', 'transitionDuration']],
  ['sourceSeconds', ['videoBegin', 'videoEnd', 'videoDuration']],
]

const audioLimits: Limits = [
  ['durationSeconds', ['enter', 'exit']],
  ['sourceSeconds', ['audioBegin', 'audioEnd', 'audioDuration']],
]

export function checkVisual(visual: Item, path: string, context: RuleContext): void {
  checkLimits(visual, visualLimits, path, context)
  checkInner(visual.cropParams, 'cropPx', childOf(path, 'cropParams'), context)
  checkInner(visual.radius, 'canvasPx', childOf(path, 'radius'), context)
  inOrder(visual, ['enterBegin', 'enterEnd'], path, context)
  inOrder(visual, ['exitBegin', 'exitEnd'], path, context)
  inOrder(visual, ['videoBegin', 'videoEnd'], path, context)
  checkDesigner(visual.designer, childOf(path, 'designer'), context)
  if (isVisualKind(visual.type)) visualTypes[visual.type].checkRules?.(visual, path, context)
  checkCode(visual.customCode, childOf(path, 'customCode'), context)
}

export function checkAudio(audio: Item, path: string, context: RuleContext): void {
  checkLimits(audio, audioLimits, path, context)
  inOrder(audio, ['enter', 'exit'], path, context)
  inOrder(audio, ['audioBegin', 'audioEnd'], path, context)
}

function checkLimits(item: Item, limits: Limits, path: string, context: RuleContext) {
  for (const [max, keys] of limits) {
    for (const key of keys) limitNumber(item, key, path, { ...context, max })
  }
}

function checkInner(item: unknown, max: keyof PlanLimits, path: string, context: RuleContext) {
  if (!isRecord(item)) return
  for (const key of Object.keys(item)) limitNumber(item, key, path, { ...context, max })
}

function checkDesigner(designer: unknown, path: string, { report }: RuleContext) {
  if (!isRecord(designer)) return
  const { length } = JSON.stringify(designer)
  if (length > designerMaxLength) {
    report.add(
      path,
      `designer must have <= ${designerMaxLength} characters of JSON. Got ${length}.`,
    )
  }
}

/**
 * Most distinct code of a project that is checked, in characters, for the same reason. Code beyond
 * it is accepted unchecked: rendering tells whether it runs.
 */
const maxCode = 100_000

function checkCode(
  customCode: unknown,
  path: string,
  { validated, report, code, work }: RuleContext,
) {
  if (!isRecord(customCode)) return
  const { js } = customCode
  if (typeof js !== 'string' || js.trim() === '' || js.length > 200_000) return
  const known = `js ${js}`
  if (!validated.has(known)) {
    code.characters += js.length
    if (code.characters > maxCode) return
    validated.set(known, work.codeFaults(js))
  }
  for (const fault of validated.get(known) ?? []) report.add(childOf(path, 'js'), sentence(fault))
}
