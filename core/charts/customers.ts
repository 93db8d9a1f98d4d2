import type { Dashboard } from './panels.ts'

export const customers: Dashboard = {
  uid: 'farm-customers',
  title: 'Farm: customers',
  about:
    'Requests, webhooks and waiting accounts. Account names come from Postgres: metrics never carry an account.',
  rows: [
    {
      title: 'API',
      panels: [
        {
          title: 'Requests per second, by status',
          about: '5xx: faults of the farm. 429: too many requests.',
          ...{ width: 8, unit: 'reqps', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (status) (rate(farm_http_request_seconds_count[$__rate_interval]))',
              label: '{{status}}',
            },
          ],
        },
        {
          title: 'Response time, p95',
          about: 'The ten slowest routes, except streams and files.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: 'topk(10, histogram_quantile(0.95, sum by (le, method, route) (rate(farm_http_request_seconds_bucket{status!="aborted",route!~".*/events|/objects/.*|/play/:jobId/:grant/:file"}[$__rate_interval]))))',
              label: '{{method}} {{route}}',
            },
          ],
        },
        {
          title: 'Open job event streams',
          about: 'At most 5,000 per process.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [{ expr: 'sum(farm_job_listeners)', label: 'open' }],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Attempts per second',
          about: 'failed: refused or unreachable, is retried; exhausted: given up.',
          ...{ width: 8, unit: 'ops', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (result) (rate(farm_webhook_attempts_total[$__rate_interval]))',
              label: '{{result}}',
            },
          ],
        },
        {
          title: 'Delay',
          about: 'Time from the due time of an attempt to its start.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [0.5, 0.95].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le) (rate(farm_webhook_delay_seconds_bucket[$__rate_interval])))`,
            label: `p${quantile * 100}`,
          })),
        },
        {
          title: 'Pending',
          about:
            'Pending deliveries, those that wait for a retry included, and the age of the oldest unstarted one.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'max(farm_webhooks_pending)', label: 'pending' },
            { expr: 'max(farm_webhooks_unstarted_oldest_seconds)', label: 'seconds, the oldest' },
          ],
        },
      ],
    },
    {
      title: 'Accounts (from Postgres)',
      panels: [
        {
          title: 'Accounts with the most rendered work',
          about: 'The top twenty in the selected time range.',
          ...{ width: 12, unit: 'short', shown: 'table' },
          sql: `select a.name as account, a.plan, count(*) as jobs,
  count(*) filter (where j.state = 'failed') as failed,
  sum(j.frames_total) as frames, sum(j.frames_reused) as reused, sum(j.credits_charged) as credits
from jobs j join accounts a on a.id = j.account_id
where $__timeFilter(j.created_at)
group by a.id order by frames desc limit 20`,
        },
        {
          title: 'Waiting accounts',
          about: 'The twenty accounts with the most queued tasks now.',
          ...{ width: 12, unit: 'short', shown: 'table' },
          sql: `select a.name as account, a.plan, waiting.tasks, waiting.oldest,
  (select count(*) from attempts r where r.state = 'running' and r.account_id = a.id) as running
from (select account_id, count(*) as tasks, min(created_at) as oldest from tasks
  where state = 'queued' group by account_id) as waiting
join accounts a on a.id = waiting.account_id
order by waiting.tasks desc limit 20`,
        },
        {
          title: 'Latest failed jobs',
          about: 'farm jobs show JOB shows the details.',
          ...{ width: 12, unit: 'short', shown: 'table' },
          sql: `select j.finished_at as ended, a.name as account, j.id as job, j.error->>'code' as reason,
  j.error->>'message' as message
from jobs j join accounts a on a.id = j.account_id
where j.state = 'failed' and $__timeFilter(j.created_at)
order by j.finished_at desc limit 20`,
        },
        {
          title: 'Endpoints with webhooks pending',
          about:
            'The twenty with the most deliveries; target is the id of an endpoint or the host of a webhookUrl.',
          ...{ width: 12, unit: 'short', shown: 'table' },
          sql: `select a.name as account, d.target, count(*) as pending, min(d.created_at) as oldest
from webhook_deliveries d join accounts a on a.id = d.account_id
where d.status = 'pending'
group by a.id, d.target order by pending desc limit 20`,
        },
      ],
    },
  ],
}
