import { childOf, nameOf, type Report } from './report.ts'
import { textFault } from './text.ts'

/** Bounds of a request body as JSON, checked before anything reads it. A schema cannot state them. */
const maxDepth = 64
const maxKeys = 20_000
const maxItems = 10_000

/** Names that reach an object's internals; refused at every depth. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** `up` and `key` lead back to the root, so that a path is built only for a fault. */
type WalkNode = {
  readonly value: unknown
  readonly depth: number
  readonly up: WalkNode | undefined
  readonly key: string | number
}

/**
 * Walks a parsed body without recursion, so that no depth can exhaust the stack. Returns whether
 * the body is safe to read: text and numbers that the database cannot hold are faults, but no danger.
 */
export function checkBounds(body: unknown, report: Report): boolean {
  let isSafe = true
  let keys = 0
  const open: WalkNode[] = [{ value: body, depth: 1, up: undefined, key: '' }]
  for (let place = open.pop(); place; place = open.pop()) {
    const { value, depth } = place
    if (typeof value === 'string') checkText(value, place, report)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const path = pathOf(place)
      report.add(path, finiteRule(path, value), report.meaning)
    }
    if (typeof value !== 'object' || value === null) continue
    if (depth > maxDepth) {
      report.add(pathOf(place), `must be nested <= ${maxDepth} levels deep.`, report.meaning)
      return false
    }
    if (Array.isArray(value)) {
      if (value.length > maxItems) {
        const rule = `must have <= ${maxItems} items. Got ${value.length}.`
        report.add(pathOf(place), rule, report.meaning)
        return false
      }
      for (let i = value.length - 1; i >= 0; i--) {
        open.push({ value: value[i], depth: depth + 1, up: place, key: i })
      }
      continue
    }
    const names = Object.keys(value)
    keys += names.length
    if (keys > maxKeys) {
      const rule = `The request must have <= ${maxKeys} properties in all.`
      report.add('', rule, report.meaning)
      return false
    }
    for (const name of names.reverse()) {
      const inner = (value as Record<string, unknown>)[name]
      const child: WalkNode = { value: inner, depth: depth + 1, up: place, key: name }
      if (forbiddenKeys.has(name)) {
        const rule = `The name "${name}" is not allowed anywhere in a request.`
        report.add(pathOf(child), rule, report.meaning)
        isSafe = false
      } else {
        checkText(name, place, report)
        open.push(child)
      }
    }
  }
  return isSafe
}

/**
 * Returns the fault of a number beyond the range of a double. JSON may write 1e999, which is read as
 * infinite and would be stored as null.
 */
export function finiteRule(path: string, value: number): string {
  return `${nameOf(path)} must be a finite number. Got ${value}.`
}

/** Reports a fault of meaning; the field's schema may turn it into a fault of shape (check.ts). */
function checkText(text: string, place: WalkNode, report: Report): void {
  const fault = textFault(text)
  if (fault !== undefined) report.add(pathOf(place), fault, report.meaning)
}

function pathOf(place: WalkNode): string {
  const keys: (string | number)[] = []
  for (let at: WalkNode | undefined = place; at?.up; at = at.up) keys.push(at.key)
  return keys
    .reverse()
    .reduce<string>(
      (path, key) => (typeof key === 'number' ? `${path}[${key}]` : childOf(path, key)),
      '',
    )
}
