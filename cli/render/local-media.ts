import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FaultLine } from '../failure.ts'
import { invalid } from './check.ts'
import { isObject, type RequestFile } from './project-file.ts'

type Json = Record<string, unknown>

/** A place in the request that names a file of this machine. */
export type LocalMedia = {
  /** Name in errors, within the project: `scenes[0].visuals[1].src`. */
  readonly field: string
  /** Keys from the request down to it. */
  readonly path: readonly (string | number)[]
  readonly file: string
  /** The path as the request has it. */
  readonly text: string
}

const placeholder = /^\{\{\s*([A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*\}\}$/

/**
 * Finds every `src` (and `thumbnail`) that is a path instead of a URL, relative to the folder of
 * `file`. It looks in the item itself and in the variable that the item names.
 * @throws Failure that names each path without a file
 */
export function findLocalMedia(request: RequestFile, file: string): readonly LocalMedia[] {
  const media = namedFiles(request, file)
  const faults = missingFiles(media, file)
  if (faults.length > 0) throw invalid(faults)
  return media
}

/** Finds the same places without checking that the files exist. */
export function namedFiles(request: RequestFile, file: string): readonly LocalMedia[] {
  const folder = dirname(resolve(file))
  const found = new Map<string, LocalMedia>()
  for (const path of mediaPlaces(request)) {
    const text = valueAt(request, path)
    if (typeof text !== 'string' || !isPath(text)) continue
    // A variable of the request has the name of the project's own that it overrides.
    found.set(path.join('.'), { field: fieldOf(path), path, file: resolve(folder, text), text })
  }
  return [...found.values()]
}

/** Returns a fault for each path without a file. */
export function missingFiles(media: readonly LocalMedia[], file: string): FaultLine[] {
  const missing = media.filter((each) => !statSync(each.file, { throwIfNoEntry: false })?.isFile())
  return missing.map((each) => ({
    field: each.field,
    message: `must be a URL or the path of a file, relative to ${file}. There is no file ${each.file}`,
  }))
}

/** Replaces each place in the request by the URL of its file. */
export function pointTo(
  request: RequestFile,
  media: readonly LocalMedia[],
  urlOf: (media: LocalMedia, index: number) => string,
): RequestFile {
  const copy = structuredClone(request)
  media.forEach((each, index) => {
    const holder = valueAt(copy, each.path.slice(0, -1)) as Json
    holder[String(each.path.at(-1))] = urlOf(each, index)
  })
  return copy
}

/** True for a text that is neither a URL nor holds a placeholder. */
function isPath(text: string): boolean {
  return text !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(text) && !text.includes('{{')
}

/** Paths of all texts that name media; for a placeholder, those of the variables it can mean. */
function* mediaPlaces({ payload }: RequestFile): Generator<(string | number)[]> {
  const owner = ['payload']
  yield* placesIn(payload, owner, [])
  const scenes = Array.isArray(payload.scenes) ? payload.scenes : []
  for (const [index, scene] of scenes.entries()) {
    if (isObject(scene)) yield* placesIn(scene, [...owner, 'scenes', index], [scene])
  }

  function* placesIn(
    holder: Json,
    path: readonly (string | number)[],
    scopes: readonly Json[],
  ): Generator<(string | number)[]> {
    const places = [
      [...path, 'thumbnail'],
      [...path, 'subtitle', 'src'],
      ...['visuals', 'audios'].flatMap((list) => {
        const items = holder[list]
        const count = Array.isArray(items) ? items.length : 0
        return Array.from({ length: count }, (_, at) => [...path, list, at, 'src'])
      }),
    ]
    for (const place of places) {
      const text = valueAt({ payload }, place)
      const name = typeof text === 'string' ? placeholder.exec(text)?.[1] : undefined
      if (name === undefined) yield place
      else yield* variablePlaces(name.split('.'), path, scopes[0])
    }
  }
}

/** Places of a placeholder's value: request, project, scene, or the array iterated over. */
function variablePlaces(
  names: readonly string[],
  path: readonly (string | number)[],
  scene: Json | undefined,
): (string | number)[][] {
  const tables = [['variables'], ['payload', 'variables']]
  if (scene) tables.push([...path, 'variables'] as string[])
  const isItem = names[0] === (scene?.iterateAs ?? 'item')
  if (!isItem || typeof scene?.iterate !== 'string') {
    return tables.map((table) => [...table, ...names])
  }
  const array = scene.iterate.split('.')
  return tables.flatMap((table) =>
    Array.from({ length: maxItems }, (_, at) => [...table, ...array, at, ...names.slice(1)]),
  )
}

/** No plan has more scenes than this, so no array that is iterated over is longer. */
const maxItems = 500

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string | number, unknown>)[key]
  }
  return value
}

function fieldOf(path: readonly (string | number)[]): string {
  const inProject = path[0] === 'payload' ? path.slice(1) : path
  return inProject
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`))
    .join('')
}
