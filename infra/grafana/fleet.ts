import type { Dashboard } from './panels.ts'

export const fleet: Dashboard = {
  uid: 'farm-fleet',
  title: 'Farm: fleet',
  about:
    'Queue, nodes and what they do. The figures of the whole farm come from every scheduler alike.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        {
          title: 'Roles that do not answer',
          about: 'Anything but 0: FarmRoleDown.',
          ...{ width: 6, unit: 'none', shown: 'number' },
          queries: [{ expr: 'count(up{job=~"farm-.+"} == 0) or vector(0)' }],
        },
        {
          title: 'Nodes that take work',
          about: 'Active, not paused, heard within 30 s.',
          ...{ width: 6, unit: 'none', shown: 'number' },
          queries: [{ expr: 'sum(max by (pool) (farm_nodes{state="active"}))' }],
        },
        {
          title: 'Tasks that wait',
          about: 'All pools and kinds.',
          ...{ width: 6, unit: 'short', shown: 'number' },
          queries: [{ expr: 'sum(max by (pool, kind) (farm_queue_tasks))' }],
        },
        {
          title: 'Tasks that no node can take',
          about: 'Anything but 0: FarmTasksUnmatched.',
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
          about: 'Tasks that wait, by the pool they must run in and kind.',
          ...{ width: 8, unit: 'short', shown: 'stack' },
          queries: [
            {
              expr: 'max by (pool, kind) (farm_queue_tasks)',
              label: '{{kind}} in {{pool}}',
            },
          ],
        },
        {
          title: 'Age of the oldest',
          about:
            'Rises in a line: that work is not taken at all. A plateau: it is taken in its turn.',
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
          about:
            'Jain index of the accounts that wait: 1 is even. Says nothing with fewer than two.',
          ...{ width: 8, unit: 'none', shown: 'lines' },
          queries: [
            { expr: 'max(farm_fairness_jain_index)', label: 'index' },
            { expr: 'max(farm_fairness_accounts)', label: 'accounts that wait' },
          ],
        },
      ],
    },
    {
      title: 'Leases',
      panels: [
        {
          title: 'Granted a second',
          about: 'Second leases of stragglers beside them.',
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
          title: 'Running, of the slots there are',
          about: 'Slots without work while tasks wait: a limit, or work that fits no node.',
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
          title: 'Tried again, by reason',
          about: 'node_lost: machines or network. Others: farm jobs show JOB.',
          ...{ width: 8, unit: 'ops', shown: 'stack' },
          queries: [
            {
              expr: 'sum by (reason) (rate(farm_attempts_failed_total{next="retried"}[$__rate_interval])) > 0',
              label: '{{reason}}',
            },
          ],
        },
        {
          title: 'Calls of nodes, p99 (without Lease)',
          about: 'Postgres is slow when all of them are.',
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
          about: 'Calls that did not end with OK, and nodes that wait for work.',
          ...{ width: 12, unit: 'short', shown: 'lines' },
          queries: [
            {
              expr: 'sum by (code) (rate(farm_rpc_seconds_count{code!="OK"}[$__rate_interval]))',
              label: '{{code}} a second',
            },
            { expr: 'sum(farm_polls_waiting)', label: 'nodes that wait' },
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
          about: 'In the last hour.',
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
          title: 'Lanes at work',
          about: 'Encoders that run, of those there may be.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'sum(farm_lanes_busy)', label: 'busy' },
            { expr: 'sum(farm_lanes)', label: 'lanes' },
          ],
        },
        {
          title: 'GPU at work',
          about: 'Empty where no node has an NVIDIA driver.',
          ...{ width: 8, unit: 'percentunit', shown: 'lines' },
          queries: [{ expr: 'farm_gpu_utilisation_ratio', label: '{{instance}} GPU {{gpu}}' }],
        },
        {
          title: 'GPU memory in use',
          about: 'Of each device, by anybody.',
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
          about: 'What leases hold of what nodes offer, and what the devices say themselves.',
          ...{ width: 8, unit: 'short', shown: 'lines' },
          queries: [
            { expr: 'max by (pool) (farm_encoder_sessions_used)', label: 'held in {{pool}}' },
            { expr: 'max by (pool) (farm_encoder_sessions_offered)', label: 'offered in {{pool}}' },
            { expr: 'sum(farm_gpu_encoder_sessions)', label: 'open on the devices' },
          ],
        },
        {
          title: 'Free on disk, the ten fullest',
          about: 'A node takes no work below 256 MB.',
          ...{ width: 12, unit: 'bytes', shown: 'lines' },
          queries: [{ expr: 'bottomk(10, farm_disk_free_bytes)', label: '{{instance}}' }],
        },
        {
          title: 'Event loop, p99',
          about: 'How late each process is at its own work.',
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
