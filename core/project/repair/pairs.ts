import { isRecord } from '../check.ts'
import { childOf } from '../report.ts'
import type { Change } from './walk.ts'

/** Rules between two properties. Each may change the tree, which is the repair's own copy. */

type Fields = Record<string, unknown>
type Note = (change: Change) => void

const visualTimes = [
  ['enterBegin', 'enterEnd'],
  ['exitBegin', 'exitEnd'],
  ['videoBegin', 'videoEnd'],
] as const
const audioTimes = [
  ['enter', 'exit'],
  ['audioBegin', 'audioEnd'],
] as const

export function mendPairs(payload: Fields, note: Note): void {
  mendTimes(payload, '', note)
  const { scenes } = payload
  for (const [i, scene] of Array.isArray(scenes) ? scenes.entries() : []) {
    if (isRecord(scene)) mendTimes(scene, `scenes[${i}].`, note)
  }
  if (payload.type !== 'image') return
  const { outputFormat = 'png', quality, transparent } = payload
  if (quality !== undefined && outputFormat === 'png') {
    drop(payload, 'quality', 'quality applies to jpg and webp, not to png.', note)
  }
  if (transparent === true && (outputFormat === 'jpg' || outputFormat === 'jpeg')) {
    drop(payload, 'transparent', 'transparent applies to png and webp, not to jpg.', note)
  }
}

function drop(payload: Fields, key: string, why: string, note: Note): void {
  note({ action: 'remove', path: key, from: payload[key], to: null, why })
  delete payload[key]
}

function mendTimes(container: Fields, prefix: string, note: Note): void {
  for (const [list, pairs] of [
    ['visuals', visualTimes] as const,
    ['audios', audioTimes] as const,
  ]) {
    const items = container[list]
    for (const [i, item] of Array.isArray(items) ? items.entries() : []) {
      if (!isRecord(item)) continue
      for (const pair of pairs) swap(item, pair, `${prefix}${list}[${i}]`, note)
    }
  }
}

function swap(item: Fields, [begin, end]: readonly [string, string], path: string, note: Note) {
  const [from, to] = [item[begin], item[end]]
  if (typeof from !== 'number' || typeof to !== 'number' || to >= from) return
  const why = `${end} must be >= ${begin}; the two were swapped.`
  note({ action: 'set', path: childOf(path, begin), from, to, why })
  note({ action: 'set', path: childOf(path, end), from: to, to: from, why })
  item[begin] = to
  item[end] = from
}
