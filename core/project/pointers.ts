import { inStead, isBesidePayload } from '../errors.ts'
import { isRecord } from './check.ts'
import { pathKey } from './report.ts'

/**
 * RFC 6901 pointers into a body as it was sent. A `field` is a path in the project, wherever the project
 * stands; its pointer starts at the body.
 */

/**
 * A fault or warning found in the project, with its pointer into the request. `variables` are the
 * request's; the project's own are `payload.variables` until here.
 */
export function located<T extends Found>(found: T, request: unknown, at?: PayloadAt): Located<T> {
  const { field } = found
  const path = isBesidePayload(field) ? field : joined('payload', field)
  return { ...locatedAt({ ...found, field: path }, request, at), field: stripped(field) }
}

/** The same of what was found in the body as it was sent: its `field` starts at the body. */
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

/** A field in the project is told without the project's own place. */
function stripped(field: string): string {
  return field.startsWith('payload.') ? field.slice('payload.'.length) : field
}

type Found = { readonly field: string }
type Located<T> = T & { readonly pointer: string }

/** The place in the body that stands for the payload; '' = nothing in it does. */
export type PayloadAt = '/payload' | '/template' | ''

function joined(root: string, field: string): string {
  return field === '' ? root : `${root}.${field}`
}

/**
 * The pointer to a path in a body, as far down as the body goes: to a list that one placeholder stands
 * for, to the place where a field is missing. A key may hold dots and brackets.
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

/** The key of an object that a path goes on with: the one up to the next dot, or one with a dot in it. */
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
