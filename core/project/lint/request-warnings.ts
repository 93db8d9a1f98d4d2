import { isRecord } from '../check.ts'
import { nearestName } from '../nearest.ts'
import type { Settings } from '../overrides.ts'
import { wholePlaceholder } from '../placeholder.ts'
import { rootOf, type Variables } from '../references.ts'
import type { ResolvedProject } from '../resolved.ts'
import type { RenderRequest } from '../schema/request.ts'
import { contradictions } from './contradictions.ts'
import { falsePlaceholders } from './false-placeholders.ts'
import { clearElements } from './never-there.ts'
import { nothingVisible } from './nothing-visible.ts'
import { sceneLinks } from './scene-links.ts'
import { definedNames, unusedVariables } from './unused-variables.ts'
import type { Warning } from './warning.ts'

/** Result of a request. Some probable mistakes show only by comparison with it. */
export type Outcome = {
  /** Project with its placeholders filled in. */
  readonly filled: Readonly<Record<string, unknown>>
  readonly settings: Settings
  /** Paths of the filled project's items in the request. */
  readonly origin: ReadonlyMap<object, string>
  readonly project: ResolvedProject
}

export function requestWarnings(
  request: RenderRequest & Variables,
  { filled, settings, origin, project }: Outcome,
): Warning[] {
  return [
    ...nothingVisible(project, request.payload),
    ...clearElements(project, request.payload),
    ...falsePlaceholders(request),
    ...unusedVariables(request),
    ...missedConditions(request),
    ...contradictions(request, { filled, settings, origin }),
    ...sceneLinks(project, { filled, sent: request.payload }),
  ]
}

/** Most names that are compared with all others. */
const maxLooked = 50

/**
 * Warns of a condition whose undefined variable nearly matches a name. An undefined one is legal,
 * and false.
 */
function missedConditions(request: Variables): Warning[] {
  const names = definedNames(request)
  const loops = loopNames(request.payload)
  const warnings: Warning[] = []
  const looked = new Set<string>()
  const look = (item: unknown, path: string) => {
    if (!isRecord(item) || typeof item.condition !== 'string' || looked.size >= maxLooked) return
    const name = rootOf(wholePlaceholder(item.condition) ?? '')
    if (name === '' || names.has(name) || loops.has(name)) return
    looked.add(name)
    const meant = nearestName(name, names)
    if (meant === undefined) return
    const rule = `condition is false: the variable "${name}" is not defined`
    const message = `${rule}. Did you mean "${meant}"?`
    warnings.push({ field: `${path}.condition`, code: 'undefined_condition', message })
  }
  const each = (list: unknown, path: string, read: (item: unknown, path: string) => void) => {
    if (Array.isArray(list)) for (const [i, item] of list.entries()) read(item, `${path}[${i}]`)
  }
  const lists = (holder: unknown, prefix: string) => {
    if (!isRecord(holder)) return
    for (const list of ['visuals', 'audios']) each(holder[list], `${prefix}${list}`, look)
  }
  lists(request.payload, '')
  each(request.payload.scenes, 'scenes', (scene, path) => {
    look(scene, path)
    lists(scene, `${path}.`)
  })
  return warnings
}

/** Names that an iteration defines. */
function loopNames({ scenes }: Readonly<Record<string, unknown>>): Set<string> {
  const given = Array.isArray(scenes) ? scenes : []
  const own = given.map((scene) => (isRecord(scene) ? scene.iterateAs : undefined))
  return new Set(['item', 'index', ...own.filter((name) => typeof name === 'string')])
}
