/** Filter of the list of jobs, as it stands in the address. */
export type JobFilter = {
  readonly state?: string
  readonly search?: string
  readonly type?: string
  readonly bulkId?: string
  readonly templateId?: string
}

const names = ['state', 'search', 'type', 'bulkId', 'templateId'] as const

export function filterOf(query: { readonly [name: string]: string | undefined }): JobFilter {
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

/** Returns `?state=failed&search=reel`, or nothing. */
export function queryOf(filter: JobFilter): string {
  const given = new URLSearchParams(filterOf(filter) as Record<string, string>)
  return given.size > 0 ? `?${given}` : ''
}
