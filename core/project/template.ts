import type { Fault } from '../errors.ts'
import { compileCheck, isRecord } from './check.ts'
import { hasPlaceholder } from './placeholder.ts'
import { pointerInto } from './pointers.ts'
import { childOf, makeReport, type Report, shownValue } from './report.ts'
import { NewTemplate, TemplateChange, TemplatePreview } from './schema/template.ts'
import { checkBounds } from './walk.ts'

/**
 * Validates the shape of bodies about stored templates. A payload is checked as in a render
 * request, placeholders allowed; its meaning depends on a request's variables. A fault's `field` is
 * a path in the body.
 */

type Read<T> = { readonly body: T } | { readonly faults: Fault[] }
type Options = { readonly trustedHosts?: readonly string[] }

const checkNew = compileCheck(NewTemplate)
const checkChange = compileCheck(TemplateChange)
const checkPreview = compileCheck(TemplatePreview)

export function readNewTemplate(body: unknown, options: Options = {}): Read<NewTemplate> {
  return read<NewTemplate>(body, checkNew, options)
}

export function readTemplateChange(body: unknown, options: Options = {}): Read<TemplateChange> {
  return read<TemplateChange>(body, checkChange, options)
}

export function readTemplatePreview(body: unknown): Read<TemplatePreview> {
  return read<TemplatePreview>(body, checkPreview, {})
}

function read<T>(body: unknown, check: typeof checkNew, { trustedHosts = [] }: Options): Read<T> {
  const report = makeReport('invalid_request')
  if (checkBounds(body, report)) {
    check(body, '', { stage: 'sent', report, trustedHosts })
    if (isRecord(body) && isRecord(body.payload)) checkSceneLengths(body.payload, report)
  }
  if (report.faults.length === 0) return { body: body as T }
  const pointer = ({ field }: Fault) => pointerInto(body, field)
  return { faults: report.faults.map((fault) => ({ ...fault, pointer: pointer(fault) })) }
}

/**
 * Requires explicit scene lengths in a stored film, as a number or a placeholder, so that its length
 * and price are known without any media. The value of a placeholder is checked when it is rendered.
 */
function checkSceneLengths({ scenes }: Record<string, unknown>, report: Report): void {
  if (!Array.isArray(scenes)) return
  for (const [i, scene] of scenes.entries()) {
    if (!isRecord(scene)) continue
    const { duration } = scene
    if (typeof duration === 'string' && hasPlaceholder(duration)) continue
    reportLength(duration, `payload.scenes[${i}]`, report)
  }
}

/** Same check for a template's scenes once their placeholders are filled in. */
export function checkFilledLengths(
  scenes: readonly unknown[],
  { report, origin }: { report: Report; origin: ReadonlyMap<object, string> },
): void {
  for (const [i, scene] of scenes.entries()) {
    if (isRecord(scene)) reportLength(scene.duration, origin.get(scene) ?? `scenes[${i}]`, report)
  }
}

const lengthRule = 'duration must be given in the scenes of a template, in seconds.'

export function isLengthRule(message: string): boolean {
  return message.startsWith(lengthRule)
}

/** Other types, and numbers too small, are reported by the schema. */
function reportLength(duration: unknown, path: string, report: Report): void {
  if (duration !== undefined && duration !== -1) return
  const at = childOf(path, 'duration')
  report.add(at, `${lengthRule} Got ${shownValue(duration)}.`, report.meaning)
}
