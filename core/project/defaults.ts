import type { ResolvedVisual } from '../visuals/resolved.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { isRecord } from './check.ts'
import { knownLengths } from './lengths.ts'
import { subtitleDefaults } from './normalize-subtitle.ts'
import type { ResolvedProject, ResolvedScene } from './resolved.ts'

/**
 * Writes the defaults of `settle` into a payload in the request's own language: sent again, it resolves
 * to itself. Given values stay as written. Omitted are values unknown before probing (a source's end, a
 * film's length that follows it), "as wide as it is", and the initial style sheet of every TEXT.
 */
export function withDefaults(overridden: Item, project: ResolvedProject): Item {
  const { name: given } = overridden
  const payload =
    typeof given === 'string' ? { ...overridden, name: sendableName(given) } : overridden
  const { film, scenes } = knownLengths(project)
  const { name, backgroundColor, outputFormat, quality, snapshotTime, transparent } = project
  const visuals = itemsOf(payload.visuals, (visual, i) =>
    visualDefaults(visual, project.visuals[i], film),
  )
  const shared = { name, backgroundColor, outputFormat, type: project.type }
  if (project.type === 'image') {
    const hasQuality = outputFormat !== 'png'
    const hasAlpha = outputFormat === 'png' || outputFormat === 'webp'
    return {
      ...shared,
      snapshotTime,
      ...(hasQuality && { quality }),
      ...(hasAlpha && { transparent }),
      ...payload,
      visuals,
    }
  }
  // The default of 10 s applies only where nothing else gives a film its length.
  const ownLength = project.durationMode !== 'auto' && project.scenes.length === 0
  return {
    ...shared,
    frameRate: project.frameRate,
    ...(ownLength && { duration: film }),
    ...payload,
    visuals,
    audios: itemsOf(payload.audios, (audio, i) => pick(project.audios[i], audioKeys, audio)),
    scenes: itemsOf(payload.scenes, (scene, i) => sceneDefaults(scene, i, project, scenes[i])),
    ...(project.subtitle && { subtitle: subtitleDefaults(payload.subtitle, project.subtitle) }),
  }
}

/** Replaces characters that a project's name may not have by dashes; an override's name may have any. */
function sendableName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/[^A-Za-z0-9 _-]/gu, '-').slice(0, 1000)
}

type Item = Readonly<Record<string, unknown>>

function sceneDefaults(
  scene: Item,
  at: number,
  project: ResolvedProject,
  length: number | undefined,
): Item {
  const resolved: Partial<ResolvedScene> = project.scenes[at] ?? {}
  const next = project.scenes[at + 1]
  const { backgroundColor, transitionDuration, visuals = [], audios = [] } = resolved
  return {
    ...{ duration: -1, transition: null, transitionDuration, backgroundColor },
    ...(next && { transitionId: next.id }),
    ...scene,
    visuals: itemsOf(scene.visuals, (visual, i) => visualDefaults(visual, visuals[i], length)),
    audios: itemsOf(scene.audios, (audio, i) => pick(audios[i], audioKeys, audio)),
  }
}

const audioKeys = ['enter', 'matchDuration', 'volume', 'speed', 'audioBegin', 'track'] as const

const visualKeys = [
  ...(['x', 'y', 'position', 'anchor', 'enterBegin', 'enterEnd', 'exitBegin', 'exitEnd'] as const),
  ...(['opacity', 'angle', 'flipV', 'flipH', 'track', 'enterAnimation', 'exitAnimation'] as const),
]

/** `length`: of the scene or project around it, s; undefined = not known yet. */
function visualDefaults(
  given: Item,
  resolved: ResolvedVisual | undefined,
  length: number | undefined,
): Item {
  if (!resolved) return given
  const visual = { ...exitDefaults(resolved, length), ...pick(resolved, visualKeys, given) }
  const key = 'chromaKey' in resolved && resolved.chromaKey
  const filter = 'filter' in resolved && resolved.filter
  const code = 'code' in resolved && { animationDuration: resolved.code.duration }
  const painted = {
    ...visual,
    ...(key && { chromaKey: pick(key, ['similarity', 'blend'], given.chromaKey) }),
    ...(filter && { filter: filterDefaults(filter, given.filter) }),
    ...(code && { customCode: pick(code, ['animationDuration'], given.customCode) }),
  }
  return visualTypeOf(resolved).withDefaults(painted, resolved, given)
}

/** Ends with the scene or project, unless its exit begins only after that. */
function exitDefaults({ exitBegin }: ResolvedVisual, length: number | undefined): Item {
  if (length === undefined || (exitBegin !== undefined && exitBegin > length)) return {}
  return { exitBegin: length, exitEnd: length }
}

function filterDefaults(filter: object, given: unknown): Item {
  const plain = { 'hue-rotate': '0', blur: 0, invert: 0, colorTint: '#ffffff' }
  return { ...plain, ...pick(filter, ['brightness', 'contrast', 'saturate'] as never, given) }
}

/** Picks properties of a resolved object; the given ones win. */
function pick<Key extends string>(
  resolved: { readonly [key in Key]?: unknown } | undefined,
  keys: readonly Key[],
  given: unknown,
): Item {
  const known = keys.filter((key) => resolved?.[key] !== undefined)
  const own = isRecord(given) ? given : {}
  return { ...Object.fromEntries(known.map((key) => [key, resolved?.[key]])), ...own }
}

function itemsOf(list: unknown, withDefaults: (item: Item, index: number) => Item): Item[] {
  return Array.isArray(list) ? list.map(withDefaults) : []
}
