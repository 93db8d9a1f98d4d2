import { Counter, Gauge, type Registry } from 'prom-client'
import { nodeLiveMs, nodeStates } from '../../core/fleet/node-states.ts'
import { jobStates } from '../../core/jobs/jobs.ts'
import type { PoolBacklog } from '../../core/queue/backlog.ts'
import { jainIndex } from '../../core/queue/shares.ts'
import { taskKinds } from '../../core/queue/tasks.ts'
import type { Log } from '../../runtime/log.ts'
import type { PoolLabels } from '../../runtime/metrics.ts'
import type { Db } from '../../store/db/database.ts'
import { readBacklog } from '../../store/db/fleet/read-backlog.ts'
import { type FleetFigures, readFleetFigures } from '../../store/db/fleet/read-fleet-figures.ts'
import { noPool } from '../metrics.ts'

/** Cache time of the figures, however often and by how many they are scraped. */
const figuresKeptMs = 5_000
/** Label of tasks that any pool may take. */
const anyPool = 'any'

const kinds = Object.keys(taskKinds)
const openStates = jobStates.filter(
  (state) => !['completed', 'failed', 'cancelled'].includes(state),
)

type Figures = FleetFigures & { readonly backlog: readonly PoolBacklog[] }

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

/**
 * Adds metrics of the whole farm. Every scheduler reads them from Postgres when it is scraped and
 * reports the same: take the largest, not the sum. They are absent while Postgres does not answer.
 */
export function addFleetMetrics(
  registry: Registry,
  { db, log, pools }: { db: Db; log: Log; pools: PoolLabels },
): void {
  const failures = new Counter({
    name: 'farm_fleet_figures_failures_total',
    help: 'Failed attempts to read the figures of the whole farm from Postgres',
    registers: [registry],
  })
  const figures = keepFor(figuresKeptMs, () =>
    readFigures(db).catch((error: unknown) => {
      failures.inc()
      log.warn({ err: error }, 'the figures for the metrics could not be read')
      return undefined
    }),
  )
  const pool = (name: string | null) => pools.of(name === null ? anyPool : name || noPool)
  for (const { name, help, labelNames, samples } of gauges(pool)) {
    new Gauge({
      ...{ name, help, labelNames: [...labelNames], registers: [registry] },
      async collect() {
        const now = await figures()
        this.reset()
        const found = now === undefined ? [] : samples(now)
        // Removed, because a reset leaves a 0 behind without labels.
        if (found.length === 0 && labelNames.length === 0) this.remove()
        // Added up, because several pools may share a label.
        for (const [labels, value] of found) this.inc(labels, value)
      },
    })
  }
}

async function readFigures(db: Db): Promise<Figures> {
  const [figures, backlog] = await Promise.all([
    readFleetFigures(db, { seenWithinMs: nodeLiveMs }),
    readBacklog(db),
  ])
  return { ...figures, backlog }
}

type FleetGauge = {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly samples: (figures: Figures) => readonly Sample[]
}

type PoolLabel = (pool: string | null) => string

function gauges(pool: PoolLabel): readonly FleetGauge[] {
  const byKind = ['pool', 'kind']
  /** A kind without waiting tasks is reported as 0 in every pool. */
  const zeroes = ({ nodes }: FleetFigures): Sample[] =>
    [null, ...new Set(nodes.map((each) => each.pool))].flatMap((name) =>
      kinds.map((kind): Sample => [{ pool: pool(name), kind }, 0]),
    )
  const queued =
    (value: (queue: FleetFigures['queues'][number]) => number) => (now: FleetFigures) => [
      ...zeroes(now),
      ...now.queues.map(
        (each): Sample => [{ pool: pool(each.pool), kind: each.kind }, value(each)],
      ),
    ]
  return [
    {
      name: 'farm_queue_tasks',
      help: 'Waiting tasks, by the pool they must run in',
      labelNames: byKind,
      samples: queued(({ tasks }) => tasks),
    },
    {
      name: 'farm_queue_unmatched_tasks',
      help: 'Waiting tasks that fit no node that takes tasks',
      labelNames: byKind,
      samples: queued(({ unmatched }) => unmatched),
    },
    {
      name: 'farm_queue_oldest_seconds',
      help: 'Age of the oldest waiting task',
      labelNames: byKind,
      samples: queued(({ oldestSeconds }) => oldestSeconds),
    },
    {
      name: 'farm_leases_running',
      help: 'Running attempts, by the pool of their node',
      labelNames: byKind,
      samples: (now) => [
        ...zeroes(now).filter(([labels]) => labels.pool !== anyPool),
        ...now.leases.map(
          (each): Sample => [{ pool: pool(each.pool), kind: each.kind }, each.running],
        ),
      ],
    },
    ...backlogGauges(pool),
    ...nodeGauges(pool),
    ...farmGauges,
  ]
}

function backlogGauges(pool: PoolLabel): readonly FleetGauge[] {
  return [
    {
      name: 'farm_backlog_seconds',
      help: 'Seconds in one slot of the waiting tasks that no limit holds back, by the pool that should do them',
      labelNames: ['pool'],
      samples: ({ backlog }) => backlog.map((each) => [{ pool: pool(each.pool) }, each.seconds]),
    },
    {
      name: 'farm_wanted_slots',
      help: 'Slots that running tasks use, and those that would do the backlog in 30 s',
      labelNames: ['pool'],
      samples: ({ backlog }) =>
        backlog.map((each) => [{ pool: pool(each.pool) }, each.wantedSlots]),
    },
  ]
}

function nodeGauges(pool: PoolLabel): readonly FleetGauge[] {
  const active = ({ nodes }: FleetFigures) => nodes.filter(({ state }) => state === 'active')
  return [
    {
      name: 'farm_nodes',
      help: 'Nodes by state; paused: takes no tasks at present, silent: not seen for 30 s',
      labelNames: ['pool', 'state'],
      samples: ({ nodes }) => [
        ...[...new Set(nodes.map((each) => each.pool))].flatMap((name) =>
          [...nodeStates, 'paused', 'silent'].map(
            (state): Sample => [{ pool: pool(name), state }, 0],
          ),
        ),
        ...nodes.map((each): Sample => [{ pool: pool(each.pool), state: each.state }, each.nodes]),
      ],
    },
    {
      name: 'farm_slots',
      help: 'Slots of the active nodes; up to eight small tasks share one',
      labelNames: ['pool'],
      samples: (now) => active(now).map((each) => [{ pool: pool(each.pool) }, each.slots]),
    },
    {
      name: 'farm_pool_slots_limit',
      help: 'Limit of a pool, as set with farm pools limit',
      labelNames: ['pool'],
      samples: ({ limits }) => limits.map((each) => [{ pool: pool(each.pool) }, each.slots]),
    },
    {
      name: 'farm_encoder_sessions_offered',
      help: 'Hardware encoder sessions offered by active nodes that limit them',
      labelNames: ['pool'],
      samples: (now) =>
        active(now).map((each) => [{ pool: pool(each.pool) }, each.encoderSessions]),
    },
    {
      name: 'farm_encoder_sessions_used',
      help: 'Hardware encoder sessions held by running tasks',
      labelNames: ['pool'],
      samples: ({ nodes, leases }) => [
        ...nodes.map((each): Sample => [{ pool: pool(each.pool) }, 0]),
        ...leases.map((each): Sample => [{ pool: pool(each.pool) }, each.encoderSessions]),
      ],
    },
  ]
}

const farmGauges: readonly FleetGauge[] = [
  {
    name: 'farm_fairness_jain_index',
    help: 'Jain index of the weighted work of accounts that waited during the whole last minute',
    labelNames: [],
    samples: ({ shares }) => [[{}, jainIndex(shares)]],
  },
  {
    name: 'farm_fairness_accounts',
    help: 'Accounts that farm_fairness_jain_index covers',
    labelNames: [],
    samples: ({ shares }) => [[{}, shares.length]],
  },
  {
    name: 'farm_jobs_open',
    help: 'Open jobs, by state',
    labelNames: ['state'],
    samples: ({ jobs }) => [
      ...openStates.map((state): Sample => [{ state }, 0]),
      ...jobs.map((each): Sample => [{ state: each.state }, each.jobs]),
    ],
  },
  {
    name: 'farm_task_words_unsent',
    help: 'Ended tasks that their workflows do not know yet',
    labelNames: [],
    samples: ({ outbox }) => [[{}, outbox.unsent]],
  },
  {
    name: 'farm_task_words_oldest_seconds',
    help: 'Age of the oldest ended task that its workflow does not know yet',
    labelNames: [],
    samples: ({ outbox }) => [[{}, outbox.oldestSeconds]],
  },
  {
    name: 'farm_webhooks_pending',
    help: 'Deliveries that have not ended, those that wait for a retry included',
    labelNames: [],
    samples: ({ deliveries }) => [[{}, deliveries.pending]],
  },
  {
    name: 'farm_webhooks_unstarted_oldest_seconds',
    help: 'Age of the oldest delivery without an attempt',
    labelNames: [],
    samples: ({ deliveries }) => [[{}, deliveries.oldestUnstartedSeconds]],
  },
  {
    name: 'farm_doomed_objects',
    help: 'Objects scheduled for deletion and not deleted yet',
    labelNames: [],
    samples: ({ doomedObjects }) => [[{}, doomedObjects]],
  },
  {
    name: 'farm_wal_archive_age_seconds',
    help: 'Seconds since Postgres last archived WAL; absent where its archive_mode is off',
    labelNames: [],
    samples: ({ walArchive }) => (walArchive === null ? [] : [[{}, walArchive.ageSeconds]]),
  },
  {
    name: 'farm_wal_archive_failing',
    help: '1 while the last attempt of Postgres to archive WAL failed; absent where archive_mode is off',
    labelNames: [],
    samples: ({ walArchive }) => (walArchive === null ? [] : [[{}, Number(walArchive.isFailing)]]),
  },
]

/** Caches one answer of `read` for `ms`. */
function keepFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  let asked = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (answer === undefined || now - asked > ms) {
      asked = now
      answer = read()
    }
    return answer
  }
}
