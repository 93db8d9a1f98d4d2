/** Workflows that Temporal's sandbox runs, by the names under which they are started. */
export { bulkRender } from './bulk-render.ts'
export { renderGroup } from './render-group.ts'
export { renderJob } from './render-job.ts'
export { webhookDelivery } from './webhook-delivery.ts'
