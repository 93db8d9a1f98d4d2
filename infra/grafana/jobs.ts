import type { Dashboard } from './panels.ts'

const lag = (metric: string, by: string, quantile = 0.95) =>
  `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`

export const jobs: Dashboard = {
  uid: 'farm-jobs',
  title: 'Farm: jobs',
  about: 'What becomes of jobs, where their time goes, and what is not rendered at all.',
  rows: [
    {
      title: 'Jobs',
      panels: [
        {
          title: 'Open, by state',
          about: 'Many in resolving: media are slow, or no node bakes.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [{ expr: 'max by (state) (farm_jobs_open)', label: '{{state}}' }],
        },
        {
          title: 'Ended a minute',
          about: 'By how they ended.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [
            {
              expr: '60 * sum by (state) (rate(farm_jobs_ended_total[$__rate_interval]))',
              label: '{{state}}',
            },
            {
              expr: '60 * sum(rate(farm_jobs_cancelled_total[$__rate_interval]))',
              label: 'cancelled by customers',
            },
          ],
        },
        {
          title: 'Failed in the last hour, by reason',
          about:
            'internal, node_lost, disk_full, store_unavailable and unavailable are the farm’s.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (reason) (increase(farm_jobs_ended_total{state="failed"}[1h])) > 0',
              label: '{{reason}}',
            },
          ],
        },
        {
          title: 'Seconds from submission to end',
          about: 'Of completed jobs.',
          ...{ width: 12, unit: 's', shown: 'lines' },
          queries: [0.5, 0.95, 0.99].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le) (rate(farm_job_seconds_bucket{state="completed"}[$__rate_interval])))`,
            label: `p${quantile * 100}`,
          })),
        },
        {
          title: 'Frames a second',
          about: 'Reused frames cost nothing; repeated ones are painted once.',
          ...{ width: 12, unit: 'short', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (how) (rate(farm_frames_rendered_total[$__rate_interval]))',
              label: '{{how}}',
            },
            { expr: 'sum(rate(farm_frames_reused_total[$__rate_interval]))', label: 'reused' },
          ],
        },
      ],
    },
    {
      title: 'Where the time goes',
      panels: [
        {
          title: 'Seconds of a task, p95',
          about: 'A shard should take about 5 s.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [{ expr: lag('farm_task_seconds', 'kind'), label: '{{kind}}' }],
        },
        {
          title: 'Stages of rendering',
          about: 'Seconds a second, added over all lanes.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [
            {
              // `segments` is the sum of the others.
              expr: 'sum by (stage) (rate(farm_task_stage_seconds_total{kind="render",stage!="segments"}[$__rate_interval]))',
              label: '{{stage}}',
            },
          ],
        },
        {
          title: 'Stages of assembling',
          about: 'Seconds a second.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (stage) (rate(farm_task_stage_seconds_total{kind="assemble"}[$__rate_interval]))',
              label: '{{stage}}',
            },
          ],
        },
        {
          title: 'Tasks on nodes',
          about: 'Told by the nodes themselves.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [{ expr: 'sum by (kind) (farm_tasks_running)', label: '{{kind}}' }],
        },
        {
          title: 'Found in the store',
          about: 'Share of bakes and segments that jobs did not have to make.',
          ...{ width: 8, unit: 'percentunit', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (kind) (rate(farm_artifact_lookups_total{result="hit"}[$__rate_interval])) / sum by (kind) (rate(farm_artifact_lookups_total[$__rate_interval]))',
              label: '{{kind}}',
            },
          ],
        },
        {
          title: 'Found in the nodes’ caches',
          about: 'A fall after a restart is cold disks.',
          ...{ width: 8, unit: 'percentunit', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (cache) (rate(farm_cache_lookups_total{result="hit"}[$__rate_interval])) / sum by (cache) (rate(farm_cache_lookups_total[$__rate_interval]))',
              label: '{{cache}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Temporal',
      panels: [
        {
          title: 'Workflow tasks wait, p99',
          about: 'Too few roles workflows, or Temporal is slow.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: lag('farm_temporal_workflow_task_wait_seconds', 'task_queue', 0.99),
              label: '{{task_queue}}',
            },
          ],
        },
        {
          title: 'Workflow tasks take, p99',
          about: 'Stages are part of the task that starts them.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: lag('farm_temporal_workflow_task_seconds', 'task_queue', 0.99),
              label: '{{task_queue}}',
            },
          ],
        },
        {
          title: 'Stages of jobs take, p95',
          about: 'Database and object store are in it.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: lag('farm_temporal_stage_seconds', 'activity_type'),
              label: '{{activity_type}}',
            },
          ],
        },
        {
          title: 'Trouble',
          about: 'Calls and workflow tasks that failed, a second.',
          ...{ width: 8, unit: 'ops', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (operation) (rate(farm_temporal_request_failures_total[$__rate_interval]))',
              label: '{{operation}}',
            },
            {
              expr: 'sum(rate(farm_temporal_workflow_task_failures_total[$__rate_interval]))',
              label: 'workflow tasks',
            },
          ],
        },
        {
          title: 'Slots free',
          about: '0: this kind of work waits. Start another role workflows.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (task_queue, worker_type) (farm_temporal_slots_free)',
              label: '{{task_queue}} {{worker_type}}',
            },
          ],
        },
        {
          title: 'Words to workflows',
          about: 'Ends of tasks that are not yet told, and how old the oldest is.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'max(farm_task_words_unsent)', label: 'unsent' },
            { expr: 'max(farm_task_words_oldest_seconds)', label: 'seconds' },
          ],
        },
      ],
    },
  ],
}
