import { inStead, isBesidePayload } from '../errors.ts'
import { isRecord } from './check.ts'
import { pathKey } from './report.ts'

/**
 * RFC 6901 pointers into a body as it was sent. A `field` is a path in the project, whatever holds
 * the project; its pointer starts at the body.
 */

/**
 * Adds to a fault or warning of the project its pointer into the request. `variables` are the
 * request's; the project's own are `payload.variables` until here.
 */
export function located<T extends Found>(found: T, request: unknown, at?: PayloadAt): Located<T> {
  const { field } = found
  const path = isBesidePayload(field) ? field : joined('payload', field)
  return { ...locatedAt({ ...found, field: path }, request, at), field: stripped(field) }
}

/** Like `located`, for a finding in the body as it was sent: its `field` starts at the body. */
export function locatedAt<T extends Found>(
  found: T,
  body: unknown,
  at: PayloadAt = '/payload',
): Located<T> {
  const { field: path } = found
  const pointer = pointerInto(body, path)
  return {
    ...found,
    field: stripped(path),
    pointer: at === '/payload' ? pointer : inStead(pointer, at),
  }
}

/** Removes the payload's own prefix from a field in the project. */
function stripped(field: string): string {
  return field.startsWith('payload.') ? field.slice('payload.'.length) : field
}

type Found = { readonly field: string }
type Located<T> = T & { readonly pointer: string }

/** Part of the body that stands for the payload; '' = none. */
export type PayloadAt = '/payload' | '/template' | '/project' | ''

function joined(root: string, field: string): string {
  return field === '' ? root : `${root}.${field}`
}

/**
 * Returns the pointer to a path, as deep as the body goes: to a list that one placeholder stands
 * for, or to the parent of a missing field. A key may hold dots and brackets.
 */
export function pointerInto(body: unknown, path: string): string {
  let node = body
  let rest = path
  let pointer = ''
  while (rest !== '') {
    const index = Array.isArray(node) ? /^\[?(\d+)\]?(?:\.|(?=\[)|$)/.exec(rest) : null
    if (Array.isArray(node)) {
      if (!index) break
      const [whole, key = ''] = index
      if (Number(key) >= node.length) break
      pointer += `/${key}`
      node = node[Number(key)]
      rest = rest.slice(whole.length)
      continue
    }
    if (!isRecord(node)) break
    const plain = /^[^.[]*/.exec(rest)?.[0] ?? ''
    const key = keyIn(node, rest, plain)
    if (key === undefined) return pointer + token(plain)
    pointer += token(key)
    node = node[key]
    rest = rest.slice(pathKey(key).length).replace(/^\./, '')
  }
  return pointer
}

/** Finds the next key of a path: up to the next dot, or a longer one that contains a dot. */
function keyIn(node: object, rest: string, plain: string): string | undefined {
  if (Object.hasOwn(node, plain)) return plain
  return Object.keys(node).find((key) => {
    const shown = pathKey(key)
    if (!rest.startsWith(shown)) return false
    const after = rest[shown.length]
    return after === undefined || after === '.' || after === '['
  })
}

function token(key: string): string {
  return `/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`
}
