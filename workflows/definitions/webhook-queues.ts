/**
 * The queues of webhook deliveries. Retries have a queue and slots of their own, so that a first
 * attempt never waits behind deliveries to dead endpoints. This is part of the workflow's bundle,
 * so it imports no client.
 */
export const webhookTaskQueue = 'farm-webhooks'
export const webhookRetryQueue = 'farm-webhook-retries'
