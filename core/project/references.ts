import { isRecord } from './check.ts'
import { isVariablePath, splitPlaceholders } from './placeholder.ts'

/** Variables that a request names, without filling any of them in. */

type Table = Readonly<Record<string, unknown>>

/** The parts of a request that concern variables. */
export type Variables = {
  readonly payload: Table
  readonly variables?: Table | undefined
}

export type References = {
  /** Dotted paths in placeholders and of `iterate`, also those reached only through other variables. */
  readonly paths: ReadonlySet<string>
  /** First names of the paths. */
  readonly roots: ReadonlySet<string>
  /** An `iterate` is itself a placeholder: it may name any list. */
  readonly isOpen: boolean
}

/** Returns the tables of variables: the request's, then the scenes', then the project's. */
export function tablesOf({ payload, variables = {} }: Variables): readonly Table[] {
  const scenes = Array.isArray(payload.scenes) ? payload.scenes : []
  const own = [...scenes, payload].map((holder) =>
    isRecord(holder) ? holder.variables : undefined,
  )
  return [variables, ...own.filter(isRecord)]
}

export function referencesOf(request: Variables): References {
  const tables = new Set<unknown>(tablesOf(request))
  const values = valuesOf(tablesOf(request))
  const paths = new Set<string>()
  const roots = new Set<string>()
  let isOpen = false
  const note = (path: string) => {
    paths.add(path)
    roots.add(rootOf(path))
  }
  const read = (node: unknown, key: string): void => {
    if (typeof node === 'string') {
      if (node.includes('{{')) {
        const parts = splitPlaceholders(node).filter((part) => 'path' in part)
        for (const { path } of parts) note(path)
        isOpen ||= key === 'iterate' && parts.length > 0
      } else if (key === 'iterate' && isVariablePath(node)) note(node)
    } else if (Array.isArray(node)) for (const item of node) read(item, '')
    else if (isRecord(node)) {
      for (const [name, inner] of Object.entries(node)) {
        if (name !== 'designer' && !tables.has(inner)) read(inner, name)
      }
    }
  }
  read(request.payload, '')
  // The set grows while it is walked: values of referenced variables are read as well, once.
  for (const name of roots) for (const value of values.get(name) ?? []) read(value, name)
  return { paths, roots, isOpen }
}

/** Collects the values of each name over all tables. */
function valuesOf(tables: readonly Table[]): ReadonlyMap<string, readonly unknown[]> {
  const values = new Map<string, unknown[]>()
  for (const [name, value] of tables.flatMap((table) => Object.entries(table))) {
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return values
}

export function rootOf(path: string): string {
  const dot = path.indexOf('.')
  return dot === -1 ? path : path.slice(0, dot)
}

/** True where something reads the value at a path, a part of it, or its parent. */
export function isReferred({ paths, roots, isOpen }: References, path: string): boolean {
  if (isOpen) return true
  if (!path.includes('.')) return roots.has(path)
  for (const known of paths) {
    if (known === path || known.startsWith(`${path}.`) || path.startsWith(`${known}.`)) return true
  }
  return false
}
