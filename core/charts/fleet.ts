import type { Dashboard } from './panels.ts'

export const fleet: Dashboard = {
  uid: 'farm-fleet',
  title: 'Farm: fleet',
  about: 'Queue, leases and nodes. Every scheduler reports the same figures for the whole farm.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        {
          title: 'Roles that do not respond',
          about: 'Above 0: see the alert FarmRoleDown.',
          ...{ width: 6, unit: 'none', shown: 'number' },
          queries: [{ expr: 'count(up{job=~"farm-.+"} == 0) or vector(0)' }],
        },
        {
          title: 'Nodes that take tasks',
          about: 'Active, not paused, seen within 30 s.',
          ...{ width: 6, unit: 'none', shown: 'number' },
          queries: [{ expr: 'sum(max by (pool) (farm_nodes{state="active"}))' }],
        },
        {
          title: 'Waiting tasks',
          about: 'All pools and kinds.',
          ...{ width: 6, unit: 'short', shown: 'number' },
          queries: [{ expr: 'sum(max by (pool, kind) (farm_queue_tasks))' }],
        },
        {
          title: 'Tasks that no node can take',
          about: 'Above 0: see the alert FarmTasksUnmatched.',
          ...{ width: 6, unit: 'none', shown: 'number' },
          queries: [{ expr: 'sum(max by (pool, kind) (farm_queue_unmatched_tasks))' }],
        },
      ],
    },
    {
      title: 'Queue',
      panels: [
        {
          title: 'Depth',
          about: 'Waiting tasks, by required pool and kind.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [
            {
              expr: 'max by (pool, kind) (farm_queue_tasks)',
              label: '{{kind}} in {{pool}}',
            },
          ],
        },
        {
          title: 'Age of the oldest task',
          about: 'A straight rise: no node takes this work. A plateau: tasks are taken in turn.',
          ...{ width: 8, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: 'max by (pool, kind) (farm_queue_oldest_seconds)',
              label: '{{kind}} in {{pool}}',
            },
          ],
        },
        {
          title: 'Fairness',
          about: 'Jain index of the waiting accounts: 1 is even. Meaningless with fewer than two.',
          ...{ width: 8, unit: 'none', shown: 'lines' },
          queries: [
            { expr: 'max(farm_fairness_jain_index)', label: 'index' },
            { expr: 'max(farm_fairness_accounts)', label: 'waiting accounts' },
          ],
        },
      ],
    },
    {
      title: 'Work of each pool',
      panels: [
        {
          title: 'Backlog',
          about: 'Seconds in one slot of the waiting tasks that no limit holds back.',
          ...{ width: 12, unit: 's', shown: 'lines' },
          queries: [{ expr: 'max by (pool) (farm_backlog_seconds)', label: '{{pool}}' }],
        },
        {
          title: 'Wanted slots',
          about: 'An autoscaler follows them. Far above the slots: its machines do not come.',
          ...{ width: 12, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'max by (pool) (farm_wanted_slots)', label: 'wanted in {{pool}}' },
            { expr: 'max by (pool) (farm_slots)', label: 'slots of {{pool}}' },
          ],
        },
      ],
    },
    {
      title: 'Leases',
      panels: [
        {
          title: 'Granted per second',
          about: 'Includes speculative leases of slow tasks as a separate line.',
          ...{ width: 8, unit: 'ops', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (kind) (rate(farm_leases_granted_total[$__rate_interval]))',
              label: '{{kind}}',
            },
            {
              expr: 'sum(rate(farm_twin_leases_granted_total[$__rate_interval]))',
              label: 'speculative',
            },
          ],
        },
        {
          title: 'Running tasks and slots',
          about: 'Free slots while tasks wait: a limit is reached, or the tasks fit no node.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (pool) (max by (pool, kind) (farm_leases_running))',
              label: '{{pool}}',
            },
            { expr: 'max by (pool) (farm_slots)', label: 'slots of {{pool}}' },
            { expr: 'max by (pool) (farm_pool_slots_limit)', label: 'limit of {{pool}}' },
          ],
        },
        {
          title: 'Retried tasks, by reason',
          about: 'node_lost: machines or network. Other reasons: see farm jobs show JOB.',
          ...{ width: 8, unit: 'ops', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (reason) (rate(farm_attempts_failed_total{next="retried"}[$__rate_interval])) > 0',
              label: '{{reason}}',
            },
          ],
        },
        {
          title: 'Calls by nodes, p99 (without Lease)',
          about: 'Postgres is slow when all methods are slow.',
          ...{ width: 12, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: 'histogram_quantile(0.99, sum by (le, method) (rate(farm_rpc_seconds_bucket{method!="Lease"}[$__rate_interval])))',
              label: '{{method}}',
            },
          ],
        },
        {
          title: 'Refused calls and waiting nodes',
          about: 'Calls that did not end with OK, and nodes that wait for tasks.',
          ...{ width: 12, unit: 'short', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (code) (rate(farm_rpc_seconds_count{code!="OK"}[$__rate_interval]))',
              label: '{{code}} per second',
            },
            { expr: 'sum(farm_polls_waiting)', label: 'waiting nodes' },
          ],
        },
      ],
    },
    {
      title: 'Nodes',
      panels: [
        {
          title: 'By state',
          about:
            'silent: lost without leaving; paused: full disk; quarantined: fails what others can do.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [
            { expr: 'sum by (state) (max by (pool, state) (farm_nodes))', label: '{{state}}' },
          ],
        },
        {
          title: 'Quarantines and canaries',
          about: 'Number in the last hour.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'sum(increase(farm_quarantines_total[1h]))', label: 'quarantines' },
            {
              expr: 'sum by (result) (increase(farm_canaries_total[1h]))',
              label: 'canary {{result}}',
            },
          ],
        },
        {
          title: 'Busy lanes',
          about: 'Running encoders, and the most that may run.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'sum(farm_lanes_busy)', label: 'busy' },
            { expr: 'sum(farm_lanes)', label: 'lanes' },
          ],
        },
        {
          title: 'GPU utilisation',
          about: 'Empty where no node has an NVIDIA driver.',
          ...{ width: 8, unit: 'percentunit', shown: 'lines' },
          queries: [{ expr: 'farm_gpu_utilisation_ratio', label: '{{instance}} GPU {{gpu}}' }],
        },
        {
          title: 'GPU memory in use',
          about: 'Memory used on each device by all programs.',
          ...{ width: 8, unit: 'percentunit', shown: 'lines' },
          queries: [
            {
              expr: 'farm_gpu_memory_used_bytes / farm_gpu_memory_bytes',
              label: '{{instance}} GPU {{gpu}}',
            },
          ],
        },
        {
          title: 'Encoder sessions',
          about: 'Sessions held by leases, offered by nodes, and reported by the devices.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'max by (pool) (farm_encoder_sessions_used)', label: 'held in {{pool}}' },
            { expr: 'max by (pool) (farm_encoder_sessions_offered)', label: 'offered in {{pool}}' },
            { expr: 'sum(farm_gpu_encoder_sessions)', label: 'open on the devices' },
          ],
        },
        {
          title: 'Free disk space, the ten fullest nodes',
          about: 'A node takes no tasks below 256 MB.',
          ...{ width: 12, unit: 'bytes', shown: 'lines' },
          queries: [{ expr: 'bottomk(10, farm_disk_free_bytes)', label: '{{instance}}' }],
        },
        {
          title: 'Event loop, p99',
          about: 'Event loop delay of each process.',
          ...{ width: 12, unit: 's', shown: 'lines' },
          queries: [
            {
              expr: 'max by (role) (farm_nodejs_eventloop_lag_p99_seconds)',
              label: '{{role}}, the worst',
            },
          ],
        },
      ],
    },
  ],
}
