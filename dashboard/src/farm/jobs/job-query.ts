/** Filters of the list of all jobs, as they stand in the address. */
export const filterNames = ['state', 'account', 'name', 'node', 'code', 'from', 'to'] as const
export type FarmJobFilter = { readonly [_ in (typeof filterNames)[number]]?: string }

export function filterOf(query: { readonly [name: string]: string | undefined }): FarmJobFilter {
  return Object.fromEntries(
    filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  )
}

/** Returns the command that lists the same jobs. */
export function commandOf(filter: FarmJobFilter, quoted: (text: string) => string): string {
  const options = Object.entries(filter).map(([name, value]) => ` --${name} ${quoted(value)}`)
  return `farm jobs list${options.join('')}`
}
