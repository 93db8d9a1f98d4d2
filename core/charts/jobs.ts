import type { Dashboard } from './panels.ts'

const lag = (metric: string, by: string, quantile = 0.95) =>
  `histogram_quantile(${quantile}, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`

export const jobs: Dashboard = {
  uid: 'farm-jobs',
  title: 'Farm: jobs',
  about: 'Outcomes of jobs, time spent by stage, and reuse of rendered work.',
  rows: [
    {
      title: 'Jobs',
      panels: [
        {
          title: 'Open, by state',
          about: 'Many jobs in resolving: media are slow, or no node bakes.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [{ expr: 'max by (state) (farm_jobs_open)', label: '{{state}}' }],
        },
        {
          title: 'Ended per minute',
          about: 'Jobs by their final state.',
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
          about: 'Completed jobs only.',
          ...{ width: 12, unit: 's', shown: 'lines' },
          queries: [0.5, 0.95, 0.99].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le) (rate(farm_job_seconds_bucket{state="completed"}[$__rate_interval])))`,
            label: `p${quantile * 100}`,
          })),
        },
        {
          title: 'Frames per second',
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
      title: 'Time spent',
      panels: [
        {
          title: 'Seconds of a task, p95',
          about: 'A shard should take about 5 s.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [{ expr: lag('farm_task_seconds', 'kind'), label: '{{kind}}' }],
        },
        {
          title: 'Stages of rendering',
          about: 'Seconds per second, summed over all lanes.',
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
          about: 'Seconds per second.',
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
          about: 'Reported by the nodes.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [{ expr: 'sum by (kind) (farm_tasks_running)', label: '{{kind}}' }],
        },
        {
          title: 'Found in the store',
          about: 'Share of bakes and segments that jobs could reuse.',
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
          about: 'A fall after a restart means empty caches.',
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
          title: 'Wait of workflow tasks, p99',
          about: 'High: too few workflows processes, or a slow Temporal.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: lag('farm_temporal_workflow_task_wait_seconds', 'task_queue', 0.99),
              label: '{{task_queue}}',
            },
          ],
        },
        {
          title: 'Duration of workflow tasks, p99',
          about: 'A task includes the stages that it starts.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: lag('farm_temporal_workflow_task_seconds', 'task_queue', 0.99),
              label: '{{task_queue}}',
            },
          ],
        },
        {
          title: 'Duration of job stages, p95',
          about: 'Includes the time of the database and the object store.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: lag('farm_temporal_stage_seconds', 'activity_type'),
              label: '{{activity_type}}',
            },
          ],
        },
        {
          title: 'Failures',
          about: 'Failed calls and workflow tasks per second.',
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
          title: 'Free slots',
          about: 'At 0 this kind of work waits: start another workflows process.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (task_queue, worker_type) (farm_temporal_slots_free)',
              label: '{{task_queue}} {{worker_type}}',
            },
          ],
        },
        {
          title: 'Task events for workflows',
          about: 'Ended tasks that their workflows do not know yet, and the age of the oldest.',
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
