import { applyPatch, type Operation } from 'rfc6902'
import { isRecord } from './check.ts'
import { pathKey, type Report, shownValue } from './report.ts'
import type { PatchOperation } from './schema/draft.ts'

/** Limit of the copied values and characters: copies of copies double each time. */
const copiedMax = 2_000_000
/** Names that reach an object's internals. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Applies a JSON Patch (RFC 6902) to a copy of `document`: all of it, or nothing. Undefined where an
 * operation cannot be applied; the report then names that operation, as `patch[2].path`.
 */
export function patched(
  document: Readonly<Record<string, unknown>>,
  operations: readonly PatchOperation[],
  report: Report,
): Record<string, unknown> | undefined {
  const root = { document: structuredClone(document) as unknown }
  let copied = 0
  for (const [nth, operation] of operations.entries()) {
    const at = `patch[${nth}]`
    const fault = faultOf(root.document, operation, at)
    if (fault) {
      report.add(fault.field, fault.message)
      return undefined
    }
    if (operation.op === 'copy') {
      copied += sizeOf(find(root.document, tokensOf(operation.from ?? ''))?.value, copiedMax)
      if (copied > copiedMax) {
        const rule = `A patch must copy <= ${copiedMax} values and characters.`
        report.add(at, `${rule} Got more up to this one.`)
        return undefined
      }
    }
    const [error] = applyPatch(root, [belowRoot(operation)])
    if (error) {
      report.add(`${at}.value`, `must equal the value at ${operation.path}. It differs.`)
      return undefined
    }
    if (!isRecord(root.document)) {
      report.add(at, `must leave the payload an object. It became ${shownValue(root.document)}.`)
      return undefined
    }
  }
  return isRecord(root.document) ? root.document : undefined
}

/** The library cannot replace a root, so that the document lies one level deeper. */
function belowRoot(operation: PatchOperation): Operation {
  const from = operation.from !== undefined && { from: `/document${operation.from}` }
  return { ...operation, path: `/document${operation.path}`, ...from } as Operation
}

type PatchFault = { readonly field: string; readonly message: string }

/** Returns why an operation cannot be applied, `test` of another value left out. */
function faultOf(
  document: unknown,
  { op, path, from, ...rest }: PatchOperation,
  at: string,
): PatchFault | undefined {
  const needsValue = op === 'add' || op === 'replace' || op === 'test'
  if (needsValue && !Object.hasOwn(rest, 'value')) {
    return { field: `${at}.value`, message: `must be given for "${op}". It is missing.` }
  }
  const needsFrom = op === 'move' || op === 'copy'
  if (needsFrom && from === undefined) {
    return { field: `${at}.from`, message: `must be given for "${op}". It is missing.` }
  }
  for (const [name, pointer] of Object.entries({ path, from })) {
    const inner = pointer?.split('/').find((token) => forbidden.has(token))
    if (inner === undefined) continue
    const message = `The name "${inner}" is not allowed anywhere in a request.`
    return { field: `${at}.${name}`, message }
  }
  if (from !== undefined && needsFrom && !isThere(document, from)) return missing(at, 'from', from)
  if (op === 'move' && from !== undefined && `${path}/`.startsWith(`${from}/`) && path !== from) {
    return { field: `${at}.path`, message: `must not lie inside of ${from}. Got ${shown(path)}.` }
  }
  if (op === 'remove' && path === '') {
    return { field: `${at}.path`, message: 'must name a part of the payload. Got all of it.' }
  }
  if (op === 'remove' || op === 'replace' || op === 'test') {
    return isThere(document, path) ? undefined : missing(at, 'path', path)
  }
  return isPlace(document, path) ? undefined : missing(at, 'path', path, 'a place that exists')
}

function missing(at: string, name: string, pointer: string, what = 'a value that exists') {
  return { field: `${at}.${name}`, message: `must name ${what}. Got ${shown(pointer)}.` }
}

const shown = (pointer: string) => JSON.stringify(pathKey(pointer))

/** Answers whether a pointer names a value of the document. */
function isThere(document: unknown, pointer: string): boolean {
  return find(document, tokensOf(pointer)) !== undefined
}

/** Answers whether a value can be added there: in an object, or in a list up to its end. */
function isPlace(document: unknown, pointer: string): boolean {
  if (pointer === '') return true
  const tokens = tokensOf(pointer)
  const last = tokens.pop() ?? ''
  const parent = find(document, tokens)?.value
  if (!Array.isArray(parent)) return isRecord(parent)
  return last === '-' || (isIndex(last) && Number(last) <= parent.length)
}

/** Counts values and characters, up to a few more than `limit`. */
function sizeOf(value: unknown, limit: number): number {
  let size = 0
  const open = [value]
  while (open.length > 0 && size <= limit) {
    const next = open.pop()
    size += typeof next === 'string' ? 1 + next.length : 1
    if (typeof next !== 'object' || next === null) continue
    for (const inner of Object.values(next)) open.push(inner)
  }
  return size
}

function find(
  document: unknown,
  tokens: readonly string[],
): { readonly value: unknown } | undefined {
  let value = document
  for (const token of tokens) {
    if (Array.isArray(value)) {
      if (!isIndex(token) || Number(token) >= value.length) return undefined
      value = value[Number(token)]
    } else if (isRecord(value) && Object.hasOwn(value, token)) {
      value = value[token]
    } else return undefined
  }
  return { value }
}

const isIndex = (token: string) => /^(?:0|[1-9]\d{0,8})$/.test(token)

function tokensOf(pointer: string): string[] {
  const unescaped = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~')
  return pointer.split('/').slice(1).map(unescaped)
}
