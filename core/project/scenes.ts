import { isRecord, unresolved } from './check.ts'
import {
  type Expander,
  expandList,
  type FillContext,
  fillField,
  fillTree,
  keeps,
  pruned,
  reportMissing,
} from './fill.ts'
import { isVariablePath, wholePlaceholder } from './placeholder.ts'
import { childOf, shownValue } from './report.ts'
import { type Layer, makeScope } from './variables.ts'

/** Iterates scenes, gives them ids and chains the transitions of clones. */

type FieldPath = { readonly path: string; readonly around: FillContext }
type Scene = Record<string, unknown>

/** Scenes that one scene of the request became: itself, none, or its clones. */
type Group = readonly Member[]
/** `clone`: number of the iteration's item, from 1. */
type Member = { readonly scene: unknown; readonly clone?: number }

export function expandScenes(expander: Expander, field: FieldPath & { value: unknown }): unknown {
  const groups = expandList(expander, field, (scene, path, around) => {
    if (!isRecord(scene)) {
      return [{ scene: fillTree(expander, scene, { path, around }) }]
    }
    return expandScene(expander, scene, { path, around })
  })
  if (!Array.isArray(groups)) return groups
  return finish(expander, groups as Group[])
}

function expandScene(expander: Expander, scene: Scene, place: FieldPath): Group | typeof pruned {
  const { path } = place
  const own = isRecord(scene.variables) ? scene.variables : undefined
  const layer: Layer = {
    path: childOf(path, 'variables'),
    values: own ?? {},
    filled: place.around.verbatim,
  }
  const around = own ? inScene(expander, place.around, [], layer) : place.around
  if (!Object.hasOwn(scene, 'iterate')) {
    findCircles(around, own)
    if (!keeps(expander, scene, { path, around })) return pruned
    return [{ scene: build(expander, scene, { path, around }) }]
  }
  const name = loopName(expander, scene, { path, around })
  const unknown: Layer = { path, values: { [name]: undefined, index: undefined }, filled: true }
  const outside = inScene(expander, place.around, [unknown], layer)
  findCircles(outside, own)
  const waits = asksForItem(scene, unknown, { path, around: outside })
  if (!waits && !keeps(expander, scene, { path, around: outside })) return pruned
  const items = itemsOf(expander, scene, { path, around })
  if (items.length > expander.maxScenes) {
    const rule = `A project must have <= ${expander.maxScenes} scenes on this plan.`
    const message = `${rule} Got ${items.length} from iterate.`
    expander.report.add(childOf(path, 'iterate'), message, 'plan_limit')
    return []
  }
  return items.flatMap((item, index) => {
    if (expander.budget.isSpent()) return []
    const loop: Layer = { path, values: { [name]: item, index }, filled: true }
    const inside = { ...inScene(expander, place.around, [loop], layer), clone: index + 1 }
    if (!keeps(expander, scene, { path, around: inside })) return []
    return [{ scene: build(expander, scene, { path, around: inside }), clone: inside.clone }]
  })
}

/** Precedence: the item and its index, then the request, the scene, the project. */
function inScene(
  { request, project, budget }: Expander,
  around: FillContext,
  loop: readonly Layer[],
  scene: Layer,
): FillContext {
  return { ...around, scope: makeScope([...loop, request, scene, project], budget) }
}

function loopName(expander: Expander, scene: Scene, { path, around }: FieldPath): string {
  if (!Object.hasOwn(scene, 'iterateAs')) return 'item'
  const at = childOf(path, 'iterateAs')
  const name = fillTree(expander, scene.iterateAs, { path: at, around })
  if (typeof name === 'string' && /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && name !== 'index') {
    return name
  }
  if (name !== unresolved) {
    const rule = 'iterateAs must be a variable name other than "index".'
    expander.report.add(at, `${rule} Got ${shownValue(name)}.`)
  }
  return 'item'
}

/** Fills all variables of a scene: circular references are faults even where nothing uses them. */
function findCircles({ scope }: FillContext, variables: Scene = {}) {
  for (const name of Object.keys(variables)) scope.at(name)
}

/**
 * True where a scene's condition depends on the item, not on the scene as a whole. Evaluated
 * outside the loop, it then misses a name in `unknown`, maybe through other variables.
 */
function asksForItem({ condition }: Scene, unknown: Layer, { path, around }: FieldPath): boolean {
  if (typeof condition !== 'string' || around.verbatim) return false
  if (wholePlaceholder(condition) === undefined) return false
  const { missing } = around.scope.fill(condition, childOf(path, 'condition'))
  return missing.some((name) => Object.hasOwn(unknown.values, name.split('.')[0] ?? ''))
}

function itemsOf(
  expander: Expander,
  scene: Scene,
  { path, around }: FieldPath,
): readonly unknown[] {
  const at = childOf(path, 'iterate')
  const given = fillTree(expander, scene.iterate, { path: at, around })
  if (Array.isArray(given)) return given
  if (given === unresolved) return []
  if (typeof given === 'string' && isVariablePath(given)) {
    const found = around.scope.at(given)
    if (Array.isArray(found?.value)) return found.value
    if (found?.broken) return []
    const names = found?.missing ?? [given]
    if (!found || names.length > 0) reportMissing(expander, around.scope, { names, path: at })
    else {
      const seen = `${given} is ${shownValue(found.value)}`
      expander.report.add(at, `iterate must be the dot path of an array. ${seen}.`)
    }
    return []
  }
  expander.report.add(at, `iterate must be the dot path of an array. Got ${shownValue(given)}.`)
  return []
}

const steering = new Set(['variables', 'condition', 'iterate', 'iterateAs'])

function build(expander: Expander, scene: Scene, { path, around }: FieldPath): Scene {
  const built: Scene = {}
  for (const [key, value] of Object.entries(scene)) {
    if (steering.has(key)) continue
    built[key] = fillField(expander, { key, value, path: childOf(path, key), around })
  }
  expander.origin.set(built, path)
  return built
}

/**
 * Gives every scene an id. A clone's is `<id>-<n>`, n from 1. Transitions chain the clones: the
 * last one leads on as the scene did, and transitions to the scene lead to its first clone.
 */
function finish(expander: Expander, groups: readonly Group[]): unknown[] {
  const all = groups.flat().map(({ scene }) => scene)
  const given = groups.flat().filter(isGiven)
  const used = new Set(given.map((member) => idOf(member, member.scene.id)))
  const firstClones = new Map<unknown, unknown>()
  for (const [i, group] of groups.entries()) {
    const own = freeId(used, `scene-${i + 1}`, group)
    for (const member of group) {
      const { scene, clone } = member
      if (!isRecord(scene)) continue
      const id = Object.hasOwn(scene, 'id') ? scene.id : own
      scene.id = idOf(member, id)
      if (clone !== undefined && !firstClones.has(id)) firstClones.set(id, scene.id)
    }
  }
  for (const group of groups) {
    const scenes = group.map(({ scene }) => scene).filter(isRecord)
    for (const [n, scene] of scenes.entries()) {
      const next = scenes[n + 1]
      if (next) scene.transitionId = next.id
      else if (firstClones.has(scene.transitionId)) {
        scene.transitionId = firstClones.get(scene.transitionId)
      }
    }
  }
  reportDuplicates(expander, all)
  return all
}

function isGiven(member: Member): member is Member & { scene: Scene } {
  return isRecord(member.scene) && Object.hasOwn(member.scene, 'id')
}

function idOf({ clone }: Member, id: unknown): unknown {
  return clone !== undefined && typeof id === 'string' ? `${id}-${clone}` : id
}

/** Returns an id that no other scene has, neither for itself nor for its clones. */
function freeId(used: Set<unknown>, wanted: string, group: Group): string {
  const idsUnder = (id: string) => group.map((member) => idOf(member, id))
  let id = wanted
  for (let n = 2; idsUnder(id).some((each) => used.has(each)); n++) id = `${wanted}-${n}`
  for (const each of idsUnder(id)) used.add(each)
  return id
}

function reportDuplicates({ origin, report }: Expander, scenes: readonly unknown[]) {
  const seen = new Set<string>()
  for (const scene of scenes) {
    if (!isRecord(scene) || typeof scene.id !== 'string') continue
    if (seen.has(scene.id)) {
      const at = childOf(origin.get(scene) ?? 'scenes', 'id')
      report.add(at, `id must be unique among the scenes. Got ${shownValue(scene.id)} again.`)
    }
    seen.add(scene.id)
  }
}
