/**
 * The queues of webhook deliveries. Retries have one of their own, with slots of their own: however
 * many deliveries of dead endpoints wake at once, a first attempt never waits behind them. Part of
 * the workflow's bundle, so nothing here pulls in a client.
 */
export const webhookTaskQueue = 'farm-webhooks'
export const webhookRetryQueue = 'farm-webhook-retries'
