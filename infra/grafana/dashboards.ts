import { customers } from './customers.ts'
import { fleet } from './fleet.ts'
import { jobs } from './jobs.ts'

/** By the names of their files. */
export const dashboards = { fleet, jobs, customers } as const
