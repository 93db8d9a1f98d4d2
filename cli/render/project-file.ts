import type { RenderRequest } from '../../client/farm-client.ts'
import { parseJson } from '../../core/parse-json.ts'
import { Failure } from '../failure.ts'
import { readTextFile } from '../text-file.ts'

type Json = Record<string, unknown>

/** A render request as a file holds it; checked only to be an object. */
export type RequestFile = {
  readonly payload: Json
  readonly variables?: unknown
  readonly [key: string]: unknown
}

/**
 * Reads a project, or a request around one, and sets `variables` over the file's own. `$schema` is
 * for editors and is removed.
 * @throws Failure when the file cannot be read or holds no JSON object
 */
export function readProjectFile(file: string, variables: Json = {}): RequestFile {
  const { $schema: _, ...body } = asObject(parse(file), file)
  if (!('payload' in body) && !('template' in body)) {
    return Object.keys(variables).length > 0 ? { payload: body, variables } : { payload: body }
  }
  if (!('payload' in body)) {
    throw new Failure(`${file} must hold its project as \`payload\`. Got a \`template\` alone`)
  }
  const { $schema: __, ...payload } = asObject(body.payload, `${file}: payload`)
  const own = body.variables
  const merged = isObject(own) || own === undefined ? { ...own, ...variables } : own
  return merged === undefined || (own === undefined && Object.keys(variables).length === 0)
    ? { ...body, payload }
    : { ...body, payload, variables: merged }
}

/** Content of a file: a project by itself, or a request around one. */
export type FileBody = 'project' | 'request'

export function fileBody(file: string): FileBody {
  const body = asObject(parse(file), file)
  return 'payload' in body || 'template' in body ? 'request' : 'project'
}

/** Casts to the client's type; the farm validates it. */
export function asRenderRequest(request: RequestFile): RenderRequest {
  return request as RenderRequest
}

function parse(file: string): unknown {
  const text = readTextFile(file)
  try {
    return parseJson(text)
  } catch (cause) {
    const rule = cause instanceof RangeError ? `${file}:` : `${file} must hold JSON:`
    throw new Failure(`${rule} ${(cause as Error).message}`, { cause })
  }
}

function asObject(value: unknown, name: string): Json {
  if (isObject(value)) return value
  throw new Failure(`${name} must be a JSON object. Got ${JSON.stringify(value)?.slice(0, 40)}`)
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
