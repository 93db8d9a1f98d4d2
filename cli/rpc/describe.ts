import type { AnyDefinition, PackageDefinition } from '@grpc/proto-loader'
import type { Method } from './definitions.ts'

type Field = {
  readonly name: string
  readonly number: number
  readonly label: string
  readonly type: string
  readonly typeName: string
}
type Message = { readonly name: string; readonly field: readonly Field[] }
type Enumeration = {
  readonly name: string
  readonly value: readonly { readonly name: string; readonly number: number }[]
}

/** A method under its full name, `package.Service/Method`. */
export type NamedMethod = { readonly name: string; readonly method: Method }

export function methodsIn(types: PackageDefinition): NamedMethod[] {
  return Object.values(types)
    .filter((definition) => !isType(definition))
    .flatMap((service) => Object.values(service as Readonly<Record<string, Method>>))
    .map((method) => ({ name: method.path.slice(1), method }))
}

/** Returns the name of a method's message, as its .proto file writes it. */
export function messageName({ type }: { readonly type: object }): string {
  return (type as Message).name
}

/** Returns a service's methods, a method, or a type, with all types they need, as .proto text. */
export function describe(name: string, types: PackageDefinition): string | undefined {
  const methods = methodsIn(types).filter(
    (each) => each.name === name || each.name.startsWith(`${name}/`),
  )
  const roots = methods.flatMap(({ name: full, method }) => {
    const scope = full.slice(0, full.lastIndexOf('.'))
    return [method.requestType, method.responseType].map((type) => `${scope}.${messageName(type)}`)
  })
  const definition = types[name]
  if (definition && isType(definition)) roots.push(name)
  if (roots.length === 0) return undefined
  const lines = methods.map(showMethod).join('\n')
  return [...(lines ? [lines] : []), ...showTypes(roots, types)].join('\n\n')
}

function showMethod({ name, method }: NamedMethod): string {
  const stream = (isStream: boolean) => (isStream ? 'stream ' : '')
  const request = `${stream(method.requestStream)}${messageName(method.requestType)}`
  const response = `${stream(method.responseStream)}${messageName(method.responseType)}`
  return `rpc ${name} (${request}) returns (${response})`
}

/** Shows types and all that their fields name, each once. */
function showTypes(roots: readonly string[], types: PackageDefinition): string[] {
  const names = new Set(roots)
  const shown: string[] = []
  // A set is walked in the order of insertion, and names that are added meanwhile are walked too.
  for (const name of names) {
    const definition = types[name]
    if (!definition || !isType(definition)) continue
    const type = definition.type as Message | Enumeration
    if ('value' in type) {
      shown.push(
        block(
          `enum ${name}`,
          type.value.map((each) => `${each.name} = ${each.number}`),
        ),
      )
      continue
    }
    shown.push(block(`message ${name}`, type.field.map(showField)))
    for (const { typeName } of type.field) {
      const found = typeName === '' ? undefined : resolve(typeName, name, types)
      if (found !== undefined) names.add(found)
    }
  }
  return shown
}

function showField({ name, number, label, type, typeName }: Field): string {
  const repeated = label === 'LABEL_REPEATED' ? 'repeated ' : ''
  const kind = typeName || type.replace('TYPE_', '').toLowerCase()
  return `${repeated}${kind} ${name} = ${number}`
}

function block(head: string, lines: readonly string[]): string {
  return lines.length === 0
    ? `${head} {}`
    : [`${head} {`, ...lines.map((line) => `  ${line};`), '}'].join('\n')
}

/** Finds a type from the scope that names it, the innermost first. */
function resolve(name: string, scope: string, types: PackageDefinition): string | undefined {
  if (name.startsWith('.')) return name.slice(1)
  const parts = scope.split('.')
  for (let length = parts.length; length >= 0; length -= 1) {
    const full = [...parts.slice(0, length), name].join('.')
    if (types[full]) return full
  }
  return undefined
}

type TypeDefinition = Extract<AnyDefinition, { format: string }>

function isType(definition: AnyDefinition): definition is TypeDefinition {
  return typeof definition.format === 'string'
}
