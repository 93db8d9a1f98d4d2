import { isRecord } from '../check.ts'
import type { Settings } from '../overrides.ts'
import { childOf } from '../report.ts'
import type { RenderRequest } from '../schema/request.ts'
import type { Warning } from './warning.ts'

/** Finds fields that another field of the same request overrules. */

type Item = Readonly<Record<string, unknown>>

/** A filled project, with its settings and the paths of its items in the request. */
type Filled = {
  readonly filled: Item
  readonly settings: Settings
  readonly origin: ReadonlyMap<object, string>
}

export function contradictions(
  { overrides = {} }: Pick<RenderRequest, 'overrides'>,
  { filled, settings, origin }: Filled,
): Warning[] {
  const holders = [
    { holder: filled, prefix: '' },
    ...scenesOf(filled).map((scene, i) => ({
      holder: scene,
      prefix: `${origin.get(scene) ?? `scenes[${i}]`}.`,
    })),
  ]
  return [
    ...ignoredSizes({ payload: filled, overrides }, settings),
    ...holders.flatMap((at) => ofItems({ ...at, list: 'visuals', origin }, textBesideHtml)),
    ...holders.flatMap((at) => ofItems({ ...at, list: 'audios', origin }, exitBesideMatch)),
  ]
}

function scenesOf({ scenes }: Item): Item[] {
  return Array.isArray(scenes) ? scenes.filter(isRecord) : []
}

type Items = {
  readonly holder: Item
  readonly list: 'visuals' | 'audios'
  readonly prefix: string
  readonly origin: ReadonlyMap<object, string>
}

function ofItems(
  { holder, list, prefix, origin }: Items,
  look: (item: Item, path: string) => Warning[],
): Warning[] {
  const items = holder[list]
  if (!Array.isArray(items)) return []
  return items.flatMap((item, i) =>
    isRecord(item) ? look(item, origin.get(item) ?? `${prefix}${list}[${i}]`) : [],
  )
}

function textBesideHtml({ text, html }: Item, path: string): Warning[] {
  const given = (value: unknown) => typeof value === 'string' && value.trim() !== ''
  if (!given(text) || !given(html)) return []
  const message = 'text has no effect, because html is given too.'
  return [{ field: childOf(path, 'text'), code: 'text_ignored', message }]
}

function exitBesideMatch({ matchDuration, exit }: Item, path: string): Warning[] {
  if (matchDuration !== true || exit === undefined) return []
  const message = `exit ${exit} has no effect: matchDuration is true, so the sound ends with its scene or project.`
  return [{ field: childOf(path, 'exit'), code: 'exit_ignored', message }]
}

/** Warns of sizes that a preset overrules, and of an override combined with a preset's other edge. */
function ignoredSizes(
  { payload, overrides }: { payload: Item; overrides: Item },
  { payload: normalized }: Settings,
): Warning[] {
  const size = `${normalized.width}x${normalized.height}`
  const preset = normalized.resolution
  const warnings: Warning[] = []
  const add = (field: string, message: string) =>
    warnings.push({ field, code: 'size_ignored', message })
  for (const edge of ['width', 'height'] as const) {
    const given = Object.hasOwn(overrides, edge) ? overrides[edge] : undefined
    if (given !== undefined && normalized[edge] !== given) {
      add(
        `overrides.${edge}`,
        `${edge} ${given} has no effect: resolution ${preset} makes the size ${size}.`,
      )
    }
    const isOwn = given === undefined && typeof payload[edge] === 'number'
    if (isOwn && payload[edge] !== normalized[edge] && overrides.resolution === undefined) {
      const by = payload.resolution ?? preset
      add(edge, `${edge} ${payload[edge]} has no effect: resolution ${by} makes the size ${size}.`)
    }
  }
  const edges = (['width', 'height'] as const).filter((edge) => overrides[edge] !== undefined)
  const [only] = edges
  const isMixed = edges.length === 1 && only !== undefined && preset === 'custom'
  if (isMixed && typeof payload.resolution === 'string' && payload.resolution !== 'custom') {
    const other = only === 'width' ? 'height' : 'width'
    const rest = {
      own: `the project's own`,
      default: 'the default',
      preset: `that of ${payload.resolution}`,
    }
    const isPreset = overrides.resolution === undefined
    const whose = rest[isPreset ? 'preset' : payload[other] === undefined ? 'default' : 'own']
    const message = `${only} alone makes the resolution custom. ${other} ${normalized[other]} is ${whose}, so the size is ${size}.`
    add(`overrides.${only}`, message)
  }
  return warnings
}
