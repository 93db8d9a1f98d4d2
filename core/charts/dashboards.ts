import { customers } from './customers.ts'
import { fleet } from './fleet.ts'
import { jobs } from './jobs.ts'

/** Dashboards by file name. */
export const dashboards = { fleet, jobs, customers } as const
