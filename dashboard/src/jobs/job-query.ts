import { jobStates } from '../../../core/jobs/jobs.ts'
import { hasEnded } from './job-summary.ts'

/** Filter of the list of jobs, as it stands in the address. `state` may name several, with commas. */
export type JobFilter = {
  readonly state?: string
  readonly search?: string
  readonly type?: string
  /** One of `spans`. */
  readonly from?: string
  readonly bulkId?: string
  readonly templateId?: string
}

type Asked = Omit<JobFilter, 'from'> & { readonly createdFrom?: string }

const names = ['state', 'search', 'type', 'from', 'bulkId', 'templateId'] as const
const hourMs = 3_600_000

/** Times since which jobs were made, with their hours. */
export const spans: Readonly<Record<string, readonly [name: string, hours: number]>> = {
  hour: ['In the last hour', 1],
  day: ['In the last 24 hours', 24],
  week: ['In the last 7 days', 168],
  month: ['In the last 30 days', 720],
}

/** States of jobs that run or wait. */
export const openStates = jobStates.filter((state) => !hasEnded({ state }))

export function filterOf(query: { readonly [name: string]: string | undefined }): JobFilter {
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))
}

/** Returns `?state=failed&search=reel`, or nothing. */
export function queryOf(filter: JobFilter): string {
  const given = new URLSearchParams(filterOf(filter) as Record<string, string>)
  return given.size > 0 ? `?${given}` : ''
}

/** Returns the filter as the API reads it, of a list that ends at `now`. */
export function askedOf({ from = '', ...filter }: JobFilter, now: string): Asked {
  const [, hours] = Object.hasOwn(spans, from) ? (spans[from] ?? []) : []
  if (hours === undefined) return filter
  return { ...filter, createdFrom: new Date(Date.parse(now) - hours * hourMs).toISOString() }
}

export const statesIn = ({ state }: JobFilter): readonly string[] =>
  state ? state.split(',') : jobStates
