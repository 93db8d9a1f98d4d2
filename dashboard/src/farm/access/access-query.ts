/** Filters of the list of requests, as they stand in the address. */
export const filterNames = [
  ...(['request', 'account', 'key', 'path', 'method', 'status'] as const),
  ...(['address', 'since', 'until'] as const),
] as const
export type AccessFilter = { readonly [_ in (typeof filterNames)[number]]?: string }

const keyShown = 12

/** Takes no more of a key into the address than is shown anywhere. */
export function filterOf(query: { readonly [name: string]: string | undefined }): AccessFilter {
  const given = filterNames.flatMap((name) => {
    const text = query[name]
    if (!text) return []
    return [[name, name === 'key' ? text.toLowerCase().slice(0, keyShown) : text] as const]
  })
  return Object.fromEntries(given)
}

/** Returns the command that lists the same requests. */
export function commandOf(filter: AccessFilter, quoted: (text: string) => string): string {
  const options = Object.entries(filter).map(([name, value]) => ` --${name} ${quoted(value)}`)
  return `farm access${options.join('')}`
}
