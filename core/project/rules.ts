import { isRecord } from './check.ts'
import { checkAudio, checkVisual } from './element-rules.ts'
import type { Settings } from './overrides.ts'
import { type Report, shownValue } from './report.ts'
import { limitNumber, numberOf, type RuleContext } from './rule-words.ts'
import { imageFormats, videoFormats } from './schema/names.ts'
import { checkSubtitle } from './subtitle-rules.ts'

/**
 * Checks the rules of a filled tree that the schema cannot state: order of times, combinations, the
 * plan's limits, unsupported features. Values of a wrong type are skipped: their fault is reported
 * already.
 */
export function checkMeaning(settings: Settings, context: RuleContext): void {
  const { payload } = settings
  const still = payload.type === 'image'
  checkCanvas(settings, context)
  if (still) checkStill(settings, context)
  else checkFilm(settings, context)
  const counts = { visuals: 0, audios: 0 }
  checkElements(payload, '', context, counts)
  const scenes = Array.isArray(payload.scenes) ? payload.scenes : []
  for (const [i, scene] of scenes.entries()) {
    if (!isRecord(scene)) continue
    const path = context.origin.get(scene) ?? `scenes[${i}]`
    limitNumber(scene, 'duration', path, { ...context, max: 'durationSeconds' })
    checkElements(scene, `${path}.`, context, counts)
  }
  limitCount('scenes', scenes.length, context)
  limitCount('visuals', counts.visuals + context.pictures.count, context)
  limitCount('audios', counts.audios, context)
}

function checkCanvas({ payload, fieldOf }: Settings, context: RuleContext) {
  for (const edge of ['width', 'height']) {
    const size = numberOf(payload, edge)
    const { canvasPx } = context.plan
    if (size !== undefined && size > canvasPx) {
      const rule = `${edge} must be <= ${canvasPx} px on this plan. Got ${size}.`
      context.report.add(fieldOf(edge), rule, 'plan_limit')
    }
  }
}

function checkFormat({ payload, fieldOf }: Settings, report: Report, formats: readonly string[]) {
  const format = payload.outputFormat
  if (typeof format !== 'string') return
  const field = fieldOf('outputFormat')
  if (!formats.includes(format)) {
    const kind = payload.type === 'image' ? 'an image' : 'a video'
    const rule = `outputFormat must be one of ${formats.join(', ')} for ${kind}.`
    // The schema already checks the payload's own field.
    if (field !== 'outputFormat') report.add(field, `${rule} Got ${shownValue(format)}.`)
  }
}

function checkStill(settings: Settings, { report }: RuleContext) {
  const { payload, fieldOf } = settings
  checkFormat(settings, report, imageFormats)
  const format = payload.outputFormat ?? 'png'
  if (payload.quality !== undefined && format === 'png') {
    report.add(fieldOf('quality'), 'quality must not be given for png: it applies to jpg and webp.')
  }
  if (payload.transparent === true && (format === 'jpg' || format === 'jpeg')) {
    const rule = 'transparent must not be true for jpg: it applies to png and webp.'
    report.add(fieldOf('transparent'), rule)
  }
  if (fieldOf('frameRate') !== 'frameRate') {
    report.add(fieldOf('frameRate'), 'frameRate must not be given for an image.')
  }
}

function checkFilm(settings: Settings, context: RuleContext) {
  const { payload, fieldOf } = settings
  const { report } = context
  checkFormat(settings, report, videoFormats)
  for (const key of ['snapshotTime', 'quality', 'transparent']) {
    const field = fieldOf(key)
    if (field !== key) report.add(field, `${key} must not be given for a video.`)
  }
  limitNumber(payload, 'duration', '', { ...context, max: 'durationSeconds' })
  if (isRecord(payload.subtitle)) checkSubtitle(payload.subtitle, 'subtitle', context)
}

type Counts = { visuals: number; audios: number }

function checkElements(
  container: Readonly<Record<string, unknown>>,
  prefix: string,
  context: RuleContext,
  counts: Counts,
) {
  for (const list of ['visuals', 'audios'] as const) {
    const items = container[list]
    if (!Array.isArray(items)) continue
    counts[list] += items.length
    for (const [i, item] of items.entries()) {
      if (!isRecord(item)) continue
      const path = context.origin.get(item) ?? `${prefix}${list}[${i}]`
      if (list === 'visuals') checkVisual(item, path, context)
      else checkAudio(item, path, context)
    }
  }
}

function limitCount(name: 'scenes' | 'visuals' | 'audios', seen: number, context: RuleContext) {
  const max = context.plan[name]
  if (seen <= max) return
  const { count } = context.pictures
  const where = name === 'scenes' ? '' : ', scenes included,'
  const got = name === 'visuals' && count > 0 ? `${seen}, ${count} of them pictures in html` : seen
  const rule = `A project${where} must have <= ${max} ${name} on this plan. Got ${got}.`
  context.report.add(name, rule, 'plan_limit')
}
