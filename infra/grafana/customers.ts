import type { Dashboard } from './panels.ts'

export const customers: Dashboard = {
  uid: 'farm-customers',
  title: 'Farm: customers',
  about: 'What customers meet. Who they are is read from Postgres: metrics never carry an account.',
  rows: [
    {
      title: 'The api',
      panels: [
        {
          title: 'Requests a second, by status',
          about: '5xx are ours, 429 too many at once.',
          ...{ width: 8, unit: 'reqps', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (status) (rate(farm_http_request_seconds_count[$__rate_interval]))',
              label: '{{status}}',
            },
          ],
        },
        {
          title: 'Answers take, p95',
          about: 'The ten slowest routes, without streams and files.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: 'topk(10, histogram_quantile(0.95, sum by (le, method, route) (rate(farm_http_request_seconds_bucket{route!~".*/events|/objects/.*"}[$__rate_interval]))))',
              label: '{{method}} {{route}}',
            },
          ],
        },
        {
          title: 'Streams of job events',
          about: 'At most 5,000 a process.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [{ expr: 'sum(farm_job_listeners)', label: 'open' }],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Attempts a second',
          about: 'failed: refused or away, tried again; exhausted: given up.',
          ...{ width: 8, unit: 'ops', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (result) (rate(farm_webhook_attempts_total[$__rate_interval]))',
              label: '{{result}}',
            },
          ],
        },
        {
          title: 'Late by',
          about: 'From when an attempt was due to when it began.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [0.5, 0.95].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le) (rate(farm_webhook_delay_seconds_bucket[$__rate_interval])))`,
            label: `p${quantile * 100}`,
          })),
        },
        {
          title: 'Pending',
          about:
            'With those that wait for their next attempt; and the oldest that nobody has begun.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'max(farm_webhooks_pending)', label: 'pending' },
            { expr: 'max(farm_webhooks_unstarted_oldest_seconds)', label: 'seconds, the oldest' },
          ],
        },
      ],
    },
    {
      title: 'Who (from Postgres)',
      panels: [
        {
          title: 'Accounts by what they had rendered',
          about: 'The twenty largest in the time shown.',
          ...{ width: 12, unit: 'short', shown: 'table' },
          sql: `select a.name as account, a.plan, count(*) as jobs,
  count(*) filter (where j.state = 'failed') as failed,
  sum(j.frames_total) as frames, sum(j.frames_reused) as reused, sum(j.credits_charged) as credits
from jobs j join accounts a on a.id = j.account_id
where $__timeFilter(j.created_at)
group by a.id order by frames desc limit 20`,
        },
        {
          title: 'Accounts that wait',
          about: 'The twenty with the most tasks in the queue now.',
          ...{ width: 12, unit: 'short', shown: 'table' },
          sql: `select a.name as account, a.plan, waiting.tasks, waiting.oldest,
  (select count(*) from attempts r where r.state = 'running' and r.account_id = a.id) as running
from (select account_id, count(*) as tasks, min(created_at) as oldest from tasks
  where state = 'queued' group by account_id) as waiting
join accounts a on a.id = waiting.account_id
order by waiting.tasks desc limit 20`,
        },
        {
          title: 'Jobs that failed last',
          about: 'farm jobs show JOB tells the rest.',
          ...{ width: 12, unit: 'short', shown: 'table' },
          sql: `select j.finished_at as ended, a.name as account, j.id as job, j.error->>'code' as reason,
  j.error->>'message' as message
from jobs j join accounts a on a.id = j.account_id
where j.state = 'failed' and $__timeFilter(j.created_at)
order by j.finished_at desc limit 20`,
        },
        {
          title: 'Endpoints with webhooks pending',
          about: 'The twenty with the most; target is an endpoint’s id or a callback’s host.',
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
