/** What Temporal's sandbox runs: every workflow there is, under its own name. */
export { bulkRender } from './bulk-render.ts'
export { renderJob } from './render-job.ts'
