import type { PlanLimits } from '../accounts/plans.ts'
import { styleFaults } from '../markup/css.ts'
import { isRecord } from './check.ts'
import { mediaUrlFault } from './media-url.ts'
import { childOf } from './report.ts'
import { inOrder, limitNumber, type RuleContext } from './rule-words.ts'
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
  if (visual.type === 'TEXT') checkText(visual, path, context)
  if (visual.type === 'SVG') checkMarkup(visual, 'svg', path, context)
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

function checkText(visual: Item, path: string, context: RuleContext) {
  const { report } = context
  const contents = [visual.html, visual.text]
  const blank = (content: unknown) =>
    content === undefined || (typeof content === 'string' && content.trim() === '')
  if (contents.every(blank)) {
    const key = ['html', 'text'].find((name) => Object.hasOwn(visual, name))
    const field = key === undefined ? path : childOf(path, key)
    report.add(field, 'A TEXT visual must have text or html that is not empty.')
  }
  checkMarkup(visual, 'html', path, context)
  if (!isRecord(visual.style)) return
  const style = Object.entries(visual.style).filter(isDeclaration)
  for (const { property, message } of styleFaults(Object.fromEntries(style))) {
    const at = childOf(path, 'style')
    report.add(property === '' ? at : childOf(at, property), sentence(message))
  }
}

function isDeclaration(entry: [string, unknown]): entry is [string, string | number] {
  return typeof entry[1] === 'string' || typeof entry[1] === 'number'
}

/**
 * Most distinct markup of a project, in characters: validating more would block the process that
 * accepts requests (measured: 1 to 2 s for 2 MB of nothing but styled tags).
 */
const maxMarkup = 1_000_000

function checkMarkup(visual: Item, key: 'html' | 'svg', path: string, context: RuleContext) {
  const markup = visual[key]
  if (typeof markup !== 'string' || markup === '' || markup.length > 200_000) return
  const { read, report, trustedHosts } = context
  const known = `${key} ${markup}`
  if (!read.has(known)) {
    context.markup.characters += markup.length
    if (context.markup.characters > maxMarkup) {
      const rule = `A project must have <= ${maxMarkup} characters of distinct html and svg in total.`
      report.add(childOf(path, key), rule)
      return
    }
    read.set(known, context.work.readMarkup(key, markup))
  }
  const { faults = [], pictures = [] } = read.get(known) ?? {}
  for (const fault of faults) report.add(childOf(path, key), sentence(fault))
  for (const url of pictures) {
    const fault = mediaUrlFault(url, { trustedHosts })
    if (fault) report.add(childOf(path, key), `The src of <img> ${fault}`)
  }
  context.pictures.count += pictures.length
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

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
