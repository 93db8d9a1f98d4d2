import { pointerInto } from '../../../core/project/pointers.ts'
import type { Change } from '../../../core/project/repair/walk.ts'
import { findPointer, type Place, stringAt } from './places.ts'

/** Replacement of a part of a text. */
export type Edit = Place & { readonly insert: string }

export function edited(text: string, { from, to, insert }: Edit): string {
  return text.slice(0, from) + insert + text.slice(to)
}

/** Puts a text value at the caret, in place of the one that it stands in. */
export function valueAtCaret(text: string, caret: number, value: string): Edit {
  return { ...(stringAt(text, caret) ?? { from: caret, to: caret }), insert: JSON.stringify(value) }
}

/** Returns the edit that makes one change of a repair; undefined where the text has no such place. */
export function editOf(text: string, project: unknown, change: Change): Edit | undefined {
  const found = findPointer(text, pointerInto(project, change.path))
  if (!found?.isWhole) return undefined
  const { value, property } = found
  switch (change.action) {
    case 'set':
      return { from: value.from, to: value.to, insert: JSON.stringify(change.to) }
    case 'rename': {
      const name = property?.getChild('PropertyName')
      return name ? { from: name.from, to: name.to, insert: JSON.stringify(change.to) } : undefined
    }
    case 'remove':
      return removalOf(property ?? value)
    default:
      return change.action satisfies never
  }
}

type Node = NonNullable<ReturnType<typeof findPointer>>['value']

/** Removes an item with the comma that parts it from its neighbour. */
function removalOf(node: Node): Edit {
  const { from, to } = node
  const next = neighbour(node, 'nextSibling')
  if (next) return { from, to: next.from, insert: '' }
  const before = neighbour(node, 'prevSibling')
  return { from: before ? before.to : from, to, insert: '' }
}

function neighbour(node: Node, way: 'nextSibling' | 'prevSibling'): Node | null {
  let each = node[way]
  while (each && /^[[\]{},]$/.test(each.name)) each = each[way]
  return each
}

/**
 * Returns the repaired text. Only what changes is written anew, so that the layout stays; where that
 * does not lead to the repaired project, all of it is.
 */
export function repairedText(text: string, repaired: unknown, changes: readonly Change[]): string {
  const whole = JSON.stringify(repaired, null, 2)
  try {
    const result = changes.reduce((before, change) => {
      const edit = editOf(before, JSON.parse(before), change)
      return edit ? edited(before, edit) : before
    }, text)
    const isSame = JSON.stringify(JSON.parse(result)) === JSON.stringify(JSON.parse(whole))
    return isSame ? result : whole
  } catch {
    return whole
  }
}
