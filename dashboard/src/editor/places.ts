import type { SyntaxNode, Tree } from '@lezer/common'
import { parser } from '@lezer/json'
import { isTooDeep } from './nesting.ts'

/** Places of JSON pointers (RFC 6901) in a text, which may have faults, and back. */

export type Place = { readonly from: number; readonly to: number }

let last: { readonly text: string; readonly tree: Tree } | undefined

/** Parses a text once, however many places are sought in it. */
function treeOf(text: string): Tree {
  if (last?.text !== text) last = { text, tree: parser.parse(isTooDeep(text) ? '' : text) }
  return last.tree
}

/** Value that a pointer names. */
export type Found = {
  readonly value: SyntaxNode
  /** Its property; null for an item of an array, and for the root. */
  readonly property: SyntaxNode | null
  /** False where the pointer leads further than the text. */
  readonly isWhole: boolean
}

/** Follows a pointer as deep as the text goes. */
export function findPointer(text: string, pointer: string): Found | undefined {
  const root = treeOf(text).topNode.firstChild
  if (!root) return undefined
  let found: Found = { value: root, property: null, isWhole: true }
  for (const key of pointer.split('/').slice(1).map(unescaped)) {
    const inner = childOf(text, found.value, key)
    if (!inner) return { ...found, isWhole: false }
    found = inner
  }
  return found
}

/**
 * Returns the place to mark for a pointer: a short value, the name of a property with a long one, or
 * the opening bracket of a long item.
 */
export function placeOf(text: string, pointer: string): Place {
  const found = findPointer(text, pointer)
  if (!found) return { from: 0, to: 0 }
  const { value, property } = found
  const { from, to } = value
  if (value.name !== 'Object' && value.name !== 'Array') return { from, to }
  const name = property?.getChild('PropertyName')
  return name ? { from: name.from, to: name.to } : { from, to: Math.min(to, from + 1) }
}

/** Returns the pointer to what stands at an offset. */
export function pointerAt(text: string, offset: number): string {
  const keys: string[] = []
  let node: SyntaxNode | null = treeOf(text).resolveInner(offset, -1)
  for (; node; node = node.parent) {
    const { parent } = node
    if (node.name === 'Property') keys.unshift(nameIn(text, node) ?? '')
    if (parent?.name === 'Array' && isValue(node)) {
      keys.unshift(String(valuesIn(parent).findIndex((each) => each.from === node?.from)))
    }
  }
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Returns the text value at an offset, its quotes included; undefined outside of one. */
export function stringAt(text: string, offset: number): Place | undefined {
  const node = treeOf(text).resolveInner(offset, 0)
  const isInside = node.name === 'String' && node.from < offset && offset < node.to
  return isInside ? { from: node.from, to: node.to } : undefined
}

/** Returns where a text stops to be JSON; undefined when it is JSON. */
export function brokenAt(text: string): Place | undefined {
  let broken: Place | undefined
  treeOf(text).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError && !broken) broken = { from, to: Math.max(to, from + 1) }
      return broken === undefined
    },
  })
  return (
    broken && { from: Math.min(broken.from, text.length), to: Math.min(broken.to, text.length) }
  )
}

function childOf(text: string, node: SyntaxNode, key: string): Found | undefined {
  if (node.name === 'Array') {
    const value = valuesIn(node)[Number(key)]
    return value && { value, property: null, isWhole: true }
  }
  // The last of two equal names counts, as JSON.parse has it.
  const property = node.getChildren('Property').findLast((each) => nameIn(text, each) === key)
  const value = property?.lastChild
  if (!property || !value || !isValue(value)) return undefined
  return { value, property, isWhole: true }
}

function nameIn(text: string, property: SyntaxNode): string | undefined {
  const name = property.getChild('PropertyName')
  if (!name) return undefined
  try {
    return JSON.parse(text.slice(name.from, name.to))
  } catch {
    return undefined
  }
}

function valuesIn(array: SyntaxNode): SyntaxNode[] {
  const values: SyntaxNode[] = []
  for (let each = array.firstChild; each; each = each.nextSibling) {
    if (isValue(each)) values.push(each)
  }
  return values
}

const valueNames = ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']
const isValue = ({ name }: SyntaxNode) => valueNames.includes(name)

const unescaped = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~')
