/**
 * Made from the service's OpenAPI document by `npm run client:types`; not to be edited. What the
 * service sends and takes, and each of its routes.
 */

export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** Same text as title */
  readonly error: string
  /** Same text as detail */
  readonly message: string
  readonly code: string
  /** Same as the header X-Request-Id; name it when you ask for support */
  readonly requestId?: string
  readonly details: readonly {
    /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
    readonly field: string
    /** JSON pointer (RFC 6901) into the body as sent */
    readonly pointer: string
    readonly code: string
    readonly message: string
  }[]
  readonly planLimits?: Readonly<Record<string, number>>
  readonly creditsRequired?: number
  readonly creditsAvailable?: number
  /** Faults of each refused item of a bulk */
  readonly errors?: readonly {
    readonly index: number
    readonly details: readonly {
      /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
      readonly field: string
      /** JSON pointer (RFC 6901) into the body as sent */
      readonly pointer: string
      readonly code: string
      readonly message: string
    }[]
  }[]
}

export type Operations = {
  'GET /api/operator/access': {
    readonly query?: {
      readonly request?: string
      readonly account?: string
      readonly key?: string
      readonly path?: string
      readonly method?: string
      readonly status?: string
      readonly address?: string
      readonly since?: string
      readonly until?: string
      readonly limit?: number
      readonly before?: string
    }
    readonly reply: {
      readonly requests: readonly {
        readonly id: number
        readonly at: string
        readonly requestId: string
        readonly method: string
        /** Without its query; secrets in it as names of parameters */
        readonly path: string
        readonly status: number
        /** Milliseconds until the end of the answer */
        readonly ms: number
        /** Bytes of the answer, with its head */
        readonly bytes: number
        readonly address: string | null
        readonly accountId: string | null
        readonly account: string | null
        readonly key: string | null
        readonly user: string | null
        readonly agent: string | null
        readonly operator: string | null
        readonly tool: string | null
        readonly made: string | null
        /** The caller hung up before the answer was complete */
        readonly aborted: boolean
      }[]
      readonly next: string | null
    }
  }
  'GET /api/operator/accounts': {
    readonly query?: {
      readonly limit?: number
      readonly after?: string
    }
    readonly reply: {
      readonly accounts: readonly {
        readonly id: string
        readonly name: string
        readonly plan: string
        readonly creditsBalance: number
        readonly creditsReserved: number
        readonly createdAt: string
        readonly suspendedAt: string | null
        readonly closedAt: string | null
      }[]
      readonly next: string | null
    }
  }
  'GET /api/operator/accounts/{account}': {
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'GET /api/operator/accounts/{account}/agents': {
    readonly reply: {
      readonly agents: readonly {
        readonly id: string
        readonly clientId: string
        readonly clientName: string
        readonly redirectHost: string
        /** User who connected it */
        readonly email: string
        readonly profile: 'readonly' | 'creator' | 'automation' | 'developer'
        readonly renderCap: number | null
        readonly totalCap: number | null
        readonly bulkCap: number | null
        readonly creditsSpent: number
        readonly createdAt: string
        readonly lastUsedAt: string | null
        readonly expiresAt: string
      }[]
    }
  }
  'GET /api/operator/accounts/{account}/credits': {
    readonly query?: {
      readonly limit?: number
    }
    readonly reply: {
      readonly entries: readonly {
        readonly id: number
        readonly kind: string
        readonly jobId: string | null
        readonly bulkId: string | null
        readonly balanceChange: number
        readonly reservedChange: number
        /** Credits owned after the entry */
        readonly balance: number
        readonly note: string
        readonly createdAt: string
      }[]
    }
  }
  'GET /api/operator/accounts/{account}/keys': {
    readonly reply: {
      readonly keys: readonly {
        readonly id: string
        readonly name: string
        /** Its first characters; the rest is nowhere */
        readonly prefix: string
        readonly scopes: readonly string[] | null
        readonly expiresAt: string | null
        readonly creditCap: number | null
        readonly creditsSpent: number
        readonly createdAt: string
        readonly lastUsedAt: string | null
      }[]
    }
  }
  'GET /api/operator/accounts/{account}/share': {
    readonly reply: {
      readonly shares: readonly {
        readonly id: string
        readonly name: string
        readonly plan: string
        readonly weight: number
        readonly guaranteed: number
        readonly burst: number
        readonly running: number
        readonly pool: string | null
        readonly tags: readonly string[]
      }[]
    }
  }
  'GET /api/operator/accounts/{account}/users': {
    readonly reply: {
      readonly users: readonly {
        readonly id: string
        readonly email: string
        readonly firstName: string
        readonly lastName: string
        readonly emailVerified: boolean
        readonly createdAt: string
        /** Open sessions */
        readonly sessions: number
        /** Connected agents */
        readonly agents: number
        readonly lastUsedAt: string | null
      }[]
    }
  }
  'GET /api/operator/accounts/{account}/webhooks': {
    readonly reply: {
      readonly webhooks: readonly {
        readonly id: string
        readonly publicId: string | null
        /** Without its query */
        readonly url: string
        readonly events: readonly string[]
        readonly status: string
        readonly exhaustedInRow: number
      }[]
      readonly pending: readonly {
        /** Id of an endpoint, or the host of jobs’ callbacks */
        readonly target: string
        readonly isCallback: boolean
        readonly pending: number
        readonly failing: number
        readonly oldest: string
      }[]
    }
  }
  'GET /api/operator/accounts/{account}/webhooks/{webhook}': {
    readonly query?: {
      readonly limit?: number
    }
    readonly reply: {
      readonly id: string
      readonly publicId: string | null
      /** Without its query */
      readonly url: string
      readonly events: readonly string[]
      readonly status: string
      readonly exhaustedInRow: number
      readonly total: number
      readonly deliveries: readonly {
        readonly id: string
        readonly event: string
        readonly jobId: string
        readonly test: boolean
        readonly status: string
        readonly failedReason: string | null
        readonly attempts: readonly Readonly<Record<string, unknown>>[]
        readonly createdAt: string
        readonly nextAttemptAt: string | null
      }[]
    }
  }
  'GET /api/operator/alerts': {
    readonly query?: {
      readonly limit?: number
    }
    readonly reply: {
      readonly alerts: readonly {
        readonly id: string
        /** Name, as in docs/OPERATIONS.md */
        readonly alert: string
        readonly severity: 'page' | 'ticket'
        readonly words: string
        readonly foundAt: string
        readonly raisedAt: string
        readonly endedAt: string | null
      }[]
    }
  }
  'GET /api/operator/audit': {
    readonly query?: {
      readonly subject?: string
      readonly actor?: string
      readonly act?: string
      readonly limit?: number
      readonly before?: number
    }
    readonly reply: {
      readonly acts: readonly {
        readonly id: number
        readonly at: string
        readonly actor: string
        readonly act: string
        readonly subject: string
        readonly why: string
      }[]
      /** Value of `before` for the next page; null at the end */
      readonly next: number | null
    }
  }
  'GET /api/operator/auth/me': {
    readonly reply: {
      readonly email: string
      readonly role: 'viewer' | 'operator' | 'admin'
      /** Seconds since the password was given; acts of an admin need at most 600 */
      readonly confirmedSeconds: number
      /** Address of the customers’ pages */
      readonly customersUrl: string
    }
  }
  'GET /api/operator/budgets': {
    readonly reply: {
      readonly budgets: readonly {
        readonly accountId: string
        readonly account: string
        /** Credits of a calendar month, UTC */
        readonly credits: number
        /** New jobs are refused once it is spent */
        readonly stops: boolean
        /** Charged this month, and held for open jobs */
        readonly spent: number
        readonly madeBy: string
        readonly createdAt: string
      }[]
    }
  }
  'GET /api/operator/certificates': {
    readonly reply: {
      readonly certificates: readonly {
        /** Hex sha256 of the certificate */
        readonly fingerprint: string
        readonly nodeId: string
        readonly nodeName: string
        readonly status: 'valid' | 'expired' | 'revoked'
        readonly issuedAt: string
        readonly expiresAt: string
        readonly revokedAt: string | null
        readonly revokedWhy: string | null
      }[]
    }
  }
  'GET /api/operator/charts': {
    readonly reply: {
      /** Prometheus at FARM_PROMETHEUS, or an hour of figures that the farm keeps */
      readonly source: 'prometheus' | 'kept'
      readonly groups: readonly {
        readonly name: string
        readonly title: string
        readonly rows: readonly {
          readonly title: string
          readonly charts: readonly {
            readonly name: string
            readonly title: string
            /** Advice for when it looks wrong */
            readonly about: string
            /** Unit in Grafana’s names */
            readonly unit: string
            readonly shown: 'number' | 'lines' | 'stack'
          }[]
        }[]
      }[]
    }
  }
  'GET /api/operator/charts/{chart}': {
    readonly query?: {
      readonly minutes?: number
    }
    readonly reply: {
      readonly times: readonly number[]
      readonly lines: readonly {
        readonly label: string
        /** One at each of the times */
        readonly values: readonly (number | null)[]
      }[]
      readonly fault: string | null
    }
  }
  'GET /api/operator/figures': {
    readonly reply: {
      readonly queues: readonly {
        readonly pool: string | null
        readonly kind: string
        readonly tasks: number
        /** Tasks that no node which takes work could take */
        readonly unmatched: number
        readonly oldestSeconds: number
      }[]
      readonly leases: readonly {
        readonly pool: string
        readonly kind: string
        readonly running: number
        readonly encoderSessions: number
      }[]
      readonly nodes: readonly {
        readonly pool: string
        readonly state:
          | 'active'
          | 'leaving'
          | 'cordoned'
          | 'draining'
          | 'quarantined'
          | 'paused'
          | 'silent'
        readonly nodes: number
        readonly slots: number
        readonly encoderSessions: number
      }[]
      readonly limits: readonly {
        readonly pool: string
        readonly slots: number
      }[]
      /** Work that each waiting account received in a minute, by its weight */
      readonly shares: readonly number[]
      readonly jobs: readonly {
        readonly state:
          | 'queued'
          | 'resolving'
          | 'rendering'
          | 'assembling'
          | 'completed'
          | 'failed'
          | 'cancelled'
        readonly jobs: number
      }[]
      readonly outbox: {
        readonly unsent: number
        readonly oldestSeconds: number
      }
      readonly deliveries: {
        readonly pending: number
        readonly oldestUnstartedSeconds: number
      }
      readonly doomedObjects: number
    }
  }
  'GET /api/operator/invitations': {
    readonly reply: {
      readonly invitations: readonly {
        readonly id: string
        readonly pool: string
        /** Machines that may join by it */
        readonly uses: number
        /** Machines that joined by it */
        readonly used: number
        readonly status: 'open' | 'used up' | 'expired' | 'ended'
        readonly madeBy: string
        readonly expiresAt: string
      }[]
    }
  }
  'GET /api/operator/jobs': {
    readonly query?: {
      readonly state?:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly account?: string
      readonly name?: string
      readonly node?: string
      readonly code?:
        | 'invalid_request'
        | 'unauthorized'
        | 'insufficient_credits'
        | 'forbidden'
        | 'not_found'
        | 'method_not_allowed'
        | 'conflict'
        | 'quote_changed'
        | 'quote_expired'
        | 'body_too_large'
        | 'unsupported_media_type'
        | 'invalid_value'
        | 'invalid_project'
        | 'plan_limit'
        | 'too_many_requests'
        | 'media_unreachable'
        | 'media_refused'
        | 'media_invalid'
        | 'media_too_large'
        | 'element_invalid'
        | 'cancelled'
        | 'node_lost'
        | 'disk_full'
        | 'store_unavailable'
        | 'unavailable'
        | 'internal'
      readonly from?: string
      readonly to?: string
      readonly limit?: number
      readonly after?: string
    }
    readonly reply: {
      readonly jobs: readonly {
        readonly id: string
        readonly accountId: string
        readonly account: string
        readonly name: string
        readonly state:
          | 'queued'
          | 'resolving'
          | 'rendering'
          | 'assembling'
          | 'completed'
          | 'failed'
          | 'cancelled'
        readonly stateReason: string
        readonly stage:
          | 'resolve'
          | 'ingest'
          | 'bake'
          | 'plan'
          | 'render'
          | 'assemble'
          | 'settle'
          | null
        readonly priority: 'low' | 'normal' | 'high'
        readonly queued: number
        readonly running: number
        readonly heldAt: string | null
        /** Reason of the operator who holds it; empty without */
        readonly holdReason: string
        readonly error: {
          readonly code: string
          readonly message: string
          readonly details?: readonly Readonly<Record<string, unknown>>[]
          readonly field?: string
        } | null
        readonly createdAt: string
        readonly finishedAt: string | null
      }[]
      readonly next: string | null
    }
  }
  'GET /api/operator/jobs/{job}': {
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
      /** Id of its trace */
      readonly trace: string
      readonly attempts: readonly {
        readonly taskId: string
        readonly attempt: number
        readonly task: string
        readonly kind: string
        readonly url: string | null
        readonly jobId: string
        readonly accountId: string
        readonly node: string
        readonly state: string
        readonly framesDone: number
        readonly leasedAt: string
        readonly seconds: number
        readonly error: {
          readonly code: string
          readonly message: string
          readonly details?: readonly Readonly<Record<string, unknown>>[]
          readonly field?: string
        } | null
        readonly logTail: string | null
        /** Seconds of each stage, as the node reported them */
        readonly stages: unknown
      }[]
    }
  }
  'GET /api/operator/jobs/{job}/waiting': {
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
      readonly waiting: {
        readonly reason:
          | 'held'
          | 'no_machine'
          | 'pool_starts'
          | 'missing_capability'
          | 'farm_limit'
          | 'account_limit'
          | 'turn'
          | 'bulk_in_flight'
          | 'not_started'
          | 'segments_of_another_job'
          | 'media_of_another_job'
          | 'media_retry'
          | 'workflow_late'
        readonly message: string
        readonly ahead: number
        readonly share: number | null
        readonly missing: readonly string[]
        readonly jobs: readonly string[]
        readonly startsIn: number | null
      } | null
      readonly times: {
        /** Time from its submission to its end, or until now */
        readonly seconds: number
        /** Stages in their order; they add up to `seconds` */
        readonly stages: readonly {
          readonly name: string
          /** Words for it */
          readonly label: string
          readonly seconds: number
          /** 0 to 1 */
          readonly share: number
        }[]
        /** Steps of the machines’ work, the longest first. Work at the same time adds up, so that they may exceed `seconds` */
        readonly steps: readonly {
          readonly name: string
          /** Words for it */
          readonly label: string
          readonly seconds: number
          /** 0 to 1 */
          readonly share: number
        }[]
        /** Seconds of attempts that ended without a result and were made again */
        readonly againSeconds: number
        /** Pictures that took longest; equal frames are painted once */
        readonly slowFrames: readonly {
          readonly frame: number
          /** Time in the film */
          readonly second: number | null
          readonly milliseconds: number
          readonly mostly: 'sources' | 'paint' | 'encode'
          /** Paths of the elements that it shows */
          readonly elements: readonly string[]
        }[]
        readonly slowElements: readonly {
          /** Path in the request */
          readonly field: string
          /** Seconds of fetching and checking its file; null where nothing was fetched */
          readonly fetchSeconds: number | null
          /** Number of `slowFrames` that show it */
          readonly slowFrames: number
        }[]
        readonly advice: string
      } | null
    }
  }
  'GET /api/operator/keys': {
    readonly query?: {
      readonly start: string
    }
    readonly reply: {
      readonly keys: readonly {
        readonly id: string
        readonly prefix: string
        readonly name: string
        readonly accountId: string
        readonly account: string
        readonly createdAt: string
        readonly lastUsedAt: string | null
        readonly expiresAt: string | null
        readonly revokedAt: string | null
      }[]
    }
  }
  'GET /api/operator/maintenance': {
    readonly query?: {
      readonly limit?: number
    }
    readonly reply: {
      readonly windows: readonly {
        readonly id: string
        readonly nodeId: string | null
        readonly node: string | null
        readonly pool: string | null
        readonly startsAt: string
        readonly endsAt: string
        readonly why: string
        readonly madeBy: string
        /** Nodes that it has cordoned */
        readonly cordoned: number
        readonly beganAt: string | null
        readonly cancelledAt: string | null
        readonly endedAt: string | null
      }[]
    }
  }
  'GET /api/operator/nodes': {
    readonly reply: {
      readonly nodes: readonly {
        readonly id: string
        readonly name: string
        readonly version: string
        readonly state: 'active' | 'leaving' | 'cordoned' | 'draining' | 'quarantined'
        readonly stateReason: string
        readonly stateSince: string
        /** Reason of the node for taking no work now; empty without */
        readonly pause: string
        /** Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes */
        readonly offer: Readonly<Record<string, unknown>>
        readonly usage: {
          /** Busy share of the processor, 0 to 1 */
          readonly cpu: number
          readonly memoryUsedMb: number
          readonly memoryMb: number
          readonly diskUsedMb: number
          readonly diskMb: number
        } | null
        /** Tasks that it runs now */
        readonly running: number
        /** Attempts that succeeded in the last hour */
        readonly succeeded: number
        /** Attempts that failed or were lost in the last hour */
        readonly failed: number
        /** Seconds since it spoke last */
        readonly silentSeconds: number
      }[]
    }
  }
  'GET /api/operator/nodes/{node}': {
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly version: string
      readonly state: 'active' | 'leaving' | 'cordoned' | 'draining' | 'quarantined'
      readonly stateReason: string
      readonly stateSince: string
      /** Reason of the node for taking no work now; empty without */
      readonly pause: string
      /** Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes */
      readonly offer: Readonly<Record<string, unknown>>
      readonly usage: {
        /** Busy share of the processor, 0 to 1 */
        readonly cpu: number
        readonly memoryUsedMb: number
        readonly memoryMb: number
        readonly diskUsedMb: number
        readonly diskMb: number
      } | null
      /** Tasks that it runs now */
      readonly running: number
      /** Attempts that succeeded in the last hour */
      readonly succeeded: number
      /** Attempts that failed or were lost in the last hour */
      readonly failed: number
      /** Seconds since it spoke last */
      readonly silentSeconds: number
      readonly attempts: readonly {
        readonly taskId: string
        readonly attempt: number
        readonly task: string
        readonly kind: string
        readonly url: string | null
        readonly jobId: string
        readonly accountId: string
        readonly node: string
        readonly state: string
        readonly framesDone: number
        readonly leasedAt: string
        readonly seconds: number
        readonly error: {
          readonly code: string
          readonly message: string
          readonly details?: readonly Readonly<Record<string, unknown>>[]
          readonly field?: string
        } | null
        readonly logTail: string | null
        /** Seconds of each stage, as the node reported them */
        readonly stages: unknown
      }[]
      readonly history: readonly {
        readonly id: number
        readonly at: string
        readonly actor: string
        readonly act: string
        readonly subject: string
        readonly why: string
      }[]
    }
  }
  'GET /api/operator/operators': {
    readonly reply: {
      readonly operators: readonly {
        readonly id: string
        readonly email: string
        readonly role: 'viewer' | 'operator' | 'admin'
        readonly madeBy: string
        readonly createdAt: string
        readonly disabledAt: string | null
        readonly lastUsedAt: string | null
      }[]
    }
  }
  'GET /api/operator/pools': {
    readonly reply: {
      readonly pools: readonly {
        readonly pool: string | null
        /** Nodes that take work */
        readonly nodes: number
        /** Slots of the nodes that take work */
        readonly slots: number
        /** Nodes that have not spoken for half a minute */
        readonly silent: number
        /** Nodes that speak, but take no work */
        readonly stopped: number
        readonly running: number
        readonly slotsMax: number | null
      }[]
    }
  }
  'GET /api/operator/quarantines': {
    readonly reply: {
      readonly nodes: readonly {
        readonly id: string
        readonly name: string
        readonly version: string
        readonly state: 'active' | 'leaving' | 'cordoned' | 'draining' | 'quarantined'
        readonly stateReason: string
        readonly stateSince: string
        /** Reason of the node for taking no work now; empty without */
        readonly pause: string
        /** Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes */
        readonly offer: Readonly<Record<string, unknown>>
        readonly usage: {
          /** Busy share of the processor, 0 to 1 */
          readonly cpu: number
          readonly memoryUsedMb: number
          readonly memoryMb: number
          readonly diskUsedMb: number
          readonly diskMb: number
        } | null
        /** Tasks that it runs now */
        readonly running: number
        /** Attempts that succeeded in the last hour */
        readonly succeeded: number
        /** Attempts that failed or were lost in the last hour */
        readonly failed: number
        /** Seconds since it spoke last */
        readonly silentSeconds: number
        readonly history: readonly {
          readonly id: number
          readonly at: string
          readonly actor: string
          readonly act: string
          readonly subject: string
          readonly why: string
        }[]
      }[]
    }
  }
  'GET /api/operator/queue': {
    readonly reply: {
      readonly lanes: readonly {
        readonly account: string
        readonly accountId: string
        readonly kind: string
        readonly requirements: Readonly<Record<string, unknown>>
        readonly queued: number
        readonly running: number
        /** Wait of the oldest task */
        readonly waitSeconds: number
        /** Capabilities that the node lacks which lacks the fewest */
        readonly missing: readonly string[]
        /** Limits that keep all its tasks from running, however idle the nodes */
        readonly limits: readonly {
          readonly of: 'farm' | 'pool' | 'account' | 'job'
          readonly name: string
          readonly running: number
          readonly most: number
        }[]
      }[]
    }
  }
  'GET /api/operator/receivers': {
    readonly reply: {
      readonly receivers: readonly {
        readonly id: string
        readonly name: string
        readonly form: 'json' | 'slack' | 'pagerduty'
        /** Host of its address; the rest is secret */
        readonly host: string
        /** It hears only of alerts that wake somebody */
        readonly onlyPages: boolean
        readonly madeBy: string
        readonly createdAt: string
        /** Notices that wait to be sent */
        readonly waiting: number
        readonly lastSentAt: string | null
        readonly lastError: string | null
      }[]
    }
  }
  'GET /api/operator/shares': {
    readonly reply: {
      readonly shares: readonly {
        readonly id: string
        readonly name: string
        readonly plan: string
        readonly weight: number
        readonly guaranteed: number
        readonly burst: number
        readonly running: number
        readonly pool: string | null
        readonly tags: readonly string[]
      }[]
    }
  }
  'GET /api/operator/tasks/{task}/log': {
    readonly query?: {
      readonly attempt?: number
      readonly kilobytes?: number
      readonly after?: number
    }
    readonly reply: {
      readonly taskId: string
      readonly attempt: number
      readonly task: string
      readonly kind: string
      readonly url: string | null
      readonly jobId: string
      readonly accountId: string
      readonly node: string
      readonly state: string
      readonly framesDone: number
      readonly leasedAt: string
      readonly seconds: number
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly logTail: string | null
      /** Seconds of each stage, as the node reported them */
      readonly stages: unknown
      readonly log: string | null
      /** Size of the whole log */
      readonly logBytes: number
      readonly live: {
        /** Number of the first line of `log` */
        readonly from: number
        /** Lines so far: give it as `after` to get those that come */
        readonly lines: number
        /** True: nothing more comes. A node may store its log up to a minute after the end */
        readonly isOver: boolean
      } | null
    }
  }
  'POST /api/operator/accounts': {
    readonly body: {
      readonly name: string
      readonly plan: 'free' | 'pro' | 'studio'
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/agents/{agent}/disconnect': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly clientId: string
      readonly clientName: string
      readonly redirectHost: string
      /** User who connected it */
      readonly email: string
      readonly profile: 'readonly' | 'creator' | 'automation' | 'developer'
      readonly renderCap: number | null
      readonly totalCap: number | null
      readonly bulkCap: number | null
      readonly creditsSpent: number
      readonly createdAt: string
      readonly lastUsedAt: string | null
      readonly expiresAt: string
    }
  }
  'POST /api/operator/accounts/{account}/budget': {
    readonly body: {
      readonly credits: number
      /** Refuse new jobs once it is spent, until the month’s end */
      readonly stops?: boolean
      readonly why: string
    }
    readonly reply: {
      readonly accountId: string
      readonly account: string
      /** Credits of a calendar month, UTC */
      readonly credits: number
      /** New jobs are refused once it is spent */
      readonly stops: boolean
      /** Charged this month, and held for open jobs */
      readonly spent: number
      readonly madeBy: string
      readonly createdAt: string
    }
  }
  'POST /api/operator/accounts/{account}/budget/remove': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly accountId: string
      readonly account: string
      /** Credits of a calendar month, UTC */
      readonly credits: number
      /** New jobs are refused once it is spent */
      readonly stops: boolean
      /** Charged this month, and held for open jobs */
      readonly spent: number
      readonly madeBy: string
      readonly createdAt: string
    }
  }
  'POST /api/operator/accounts/{account}/close': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/credits/correct': {
    readonly body: {
      readonly credits: number
      /** The account can read it */
      readonly note: string
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/credits/grant': {
    readonly body: {
      readonly credits: number
      /** The account can read it */
      readonly note: string
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/deliveries/{delivery}/redeliver': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly queued: true
      readonly deliveryId: string
    }
  }
  'POST /api/operator/accounts/{account}/keys': {
    readonly body: {
      readonly name: string
      /** All if absent */
      readonly scopes?: readonly (
        | 'render'
        | 'jobs'
        | 'account'
        | 'templates'
        | 'webhooks'
        | 'keys'
      )[]
      /** Never if absent */
      readonly expiresAt?: string
      /** Credits that jobs of the key may cost in all; no limit if absent */
      readonly creditCap?: number
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      /** Its first characters; the rest is nowhere */
      readonly prefix: string
      readonly scopes: readonly string[] | null
      readonly expiresAt: string | null
      readonly creditCap: number | null
      readonly creditsSpent: number
      readonly createdAt: string
      readonly lastUsedAt: string | null
      /** Shown only in this answer */
      readonly key: string
    }
  }
  'POST /api/operator/accounts/{account}/keys/{key}/revoke': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      /** Its first characters; the rest is nowhere */
      readonly prefix: string
      readonly scopes: readonly string[] | null
      readonly expiresAt: string | null
      readonly creditCap: number | null
      readonly creditsSpent: number
      readonly createdAt: string
      readonly lastUsedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/plan': {
    readonly body: {
      readonly plan: 'free' | 'pro' | 'studio'
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/resume': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/share': {
    readonly body: {
      readonly weight?: number
      readonly slotsGuaranteed?: number | null
      readonly slotsBurst?: number | null
      readonly pool?: string | null
      readonly tags?: readonly string[]
      readonly why: string
    }
    readonly reply: {
      readonly shares: readonly {
        readonly id: string
        readonly name: string
        readonly plan: string
        readonly weight: number
        readonly guaranteed: number
        readonly burst: number
        readonly running: number
        readonly pool: string | null
        readonly tags: readonly string[]
      }[]
    }
  }
  'POST /api/operator/accounts/{account}/suspend': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly plan: string
      readonly creditsBalance: number
      readonly creditsReserved: number
      readonly createdAt: string
      readonly suspendedAt: string | null
      readonly closedAt: string | null
    }
  }
  'POST /api/operator/accounts/{account}/users': {
    readonly body: {
      readonly email: string
      /** One is made if absent */
      readonly password?: string
      readonly firstName?: string
      readonly lastName?: string
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly email: string
      readonly password: string | null
    }
  }
  'POST /api/operator/accounts/{account}/webhooks/{webhook}/stop': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly stopped: 'endpoint' | 'delivery'
      readonly id: string
    }
  }
  'POST /api/operator/auth/confirm': {
    readonly body: {
      readonly password: string
    }
    readonly reply: {
      readonly confirmed: true
    }
  }
  'POST /api/operator/auth/one-time': {
    readonly body: {
      readonly code: string
    }
    readonly reply: {
      /** JWT to send as Authorization: Bearer */
      readonly accessToken: string
      readonly tokenType: 'Bearer'
      /** Seconds */
      readonly expiresIn: number
      /** Token that is valid once, for the next pair; absent when a cookie holds it */
      readonly refreshToken?: string
    }
  }
  'POST /api/operator/auth/refresh': {
    readonly body: {} & (
      | { readonly refreshToken: string; readonly cookie?: never }
      | { readonly cookie: true; readonly refreshToken?: never }
    )
    readonly reply: {
      /** JWT to send as Authorization: Bearer */
      readonly accessToken: string
      readonly tokenType: 'Bearer'
      /** Seconds */
      readonly expiresIn: number
      /** Token that is valid once, for the next pair; absent when a cookie holds it */
      readonly refreshToken?: string
    }
  }
  'POST /api/operator/auth/sign-in': {
    readonly body: {
      readonly email: string
      readonly password: string
      /** Keeps the refresh token in a cookie, for pages of this service; it is not answered */
      readonly cookie?: boolean
    }
    readonly reply: {
      /** JWT to send as Authorization: Bearer */
      readonly accessToken: string
      readonly tokenType: 'Bearer'
      /** Seconds */
      readonly expiresIn: number
      /** Token that is valid once, for the next pair; absent when a cookie holds it */
      readonly refreshToken?: string
    }
  }
  'POST /api/operator/auth/sign-out': {
    readonly reply: {
      readonly signedOut: true
    }
  }
  'POST /api/operator/certificates': {
    readonly body: {
      /** Certificate as a PEM text, without its private key */
      readonly certificate: string
      readonly why: string
    }
    readonly reply: {
      readonly fingerprint: string
      readonly expiresAt: string
    }
  }
  'POST /api/operator/certificates/nodes': {
    readonly body: {
      /** Certificate as a PEM text, without its private key */
      readonly certificate: string
      readonly tokenHash: string
      readonly why: string
    }
    readonly reply: {
      /** Hex sha256 of the certificate */
      readonly fingerprint: string
      readonly nodeId: string
      readonly nodeName: string
      readonly status: 'valid' | 'expired' | 'revoked'
      readonly issuedAt: string
      readonly expiresAt: string
      readonly revokedAt: string | null
      readonly revokedWhy: string | null
    }
  }
  'POST /api/operator/certificates/revoke': {
    readonly body: {
      /** Fingerprint, or the id or name of a node for all its certificates */
      readonly which: string
      readonly why: string
    }
    readonly reply: {
      readonly certificates: readonly {
        /** Hex sha256 of the certificate */
        readonly fingerprint: string
        readonly nodeId: string
        readonly nodeName: string
        readonly status: 'valid' | 'expired' | 'revoked'
        readonly issuedAt: string
        readonly expiresAt: string
        readonly revokedAt: string | null
        readonly revokedWhy: string | null
      }[]
    }
  }
  'POST /api/operator/invitations': {
    readonly body: {
      readonly pool: string
      /** Machines that may join by it; 1 if absent */
      readonly uses?: number
      /** Seconds for which it is good; 3600 if absent */
      readonly seconds?: number
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly pool: string
      /** Machines that may join by it */
      readonly uses: number
      /** Machines that joined by it */
      readonly used: number
      readonly status: 'open' | 'used up' | 'expired' | 'ended'
      readonly madeBy: string
      readonly expiresAt: string
      /** FARM_ENROL_TOKEN of the machines; only in this answer */
      readonly token: string
    }
  }
  'POST /api/operator/invitations/{invitation}/end': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly pool: string
      /** Machines that may join by it */
      readonly uses: number
      /** Machines that joined by it */
      readonly used: number
      readonly status: 'open' | 'used up' | 'expired' | 'ended'
      readonly madeBy: string
      readonly expiresAt: string
    }
  }
  'POST /api/operator/jobs/{job}/cancel': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/jobs/{job}/hold': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/jobs/{job}/pause': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/jobs/{job}/priority': {
    readonly body: {
      readonly priority: 'low' | 'normal' | 'high'
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/jobs/{job}/read-output': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly url: string | null
      readonly thumbnailUrl: string | null
      /** Validity of the addresses */
      readonly seconds: number
    }
  }
  'POST /api/operator/jobs/{job}/read-request': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly request: unknown
    }
  }
  'POST /api/operator/jobs/{job}/resume': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/jobs/{job}/retry': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/maintenance': {
    readonly body: {
      readonly node?: string
      /** All its nodes; empty: nodes without a pool */
      readonly pool?: string
      /** Absent: now */
      readonly from?: string
      readonly to: string
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly nodeId: string | null
      readonly node: string | null
      readonly pool: string | null
      readonly startsAt: string
      readonly endsAt: string
      readonly why: string
      readonly madeBy: string
      /** Nodes that it has cordoned */
      readonly cordoned: number
      readonly beganAt: string | null
      readonly cancelledAt: string | null
      readonly endedAt: string | null
    }
  }
  'POST /api/operator/maintenance/{window}/cancel': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly nodeId: string | null
      readonly node: string | null
      readonly pool: string | null
      readonly startsAt: string
      readonly endsAt: string
      readonly why: string
      readonly madeBy: string
      /** Nodes that it has cordoned */
      readonly cordoned: number
      readonly beganAt: string | null
      readonly cancelledAt: string | null
      readonly endedAt: string | null
    }
  }
  'POST /api/operator/nodes/cordon': {
    readonly body: {
      readonly nodes: readonly string[]
      readonly why: string
    }
    readonly reply: {
      readonly nodes: readonly {
        readonly id: string
        readonly name: string
        readonly version: string
        readonly state: 'active' | 'leaving' | 'cordoned' | 'draining' | 'quarantined'
        readonly stateReason: string
        readonly stateSince: string
        /** Reason of the node for taking no work now; empty without */
        readonly pause: string
        /** Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes */
        readonly offer: Readonly<Record<string, unknown>>
        readonly usage: {
          /** Busy share of the processor, 0 to 1 */
          readonly cpu: number
          readonly memoryUsedMb: number
          readonly memoryMb: number
          readonly diskUsedMb: number
          readonly diskMb: number
        } | null
        /** Tasks that it runs now */
        readonly running: number
        /** Attempts that succeeded in the last hour */
        readonly succeeded: number
        /** Attempts that failed or were lost in the last hour */
        readonly failed: number
        /** Seconds since it spoke last */
        readonly silentSeconds: number
      }[]
    }
  }
  'POST /api/operator/nodes/drain': {
    readonly body: {
      readonly nodes: readonly string[]
      readonly why: string
    }
    readonly reply: {
      readonly nodes: readonly {
        readonly id: string
        readonly name: string
        readonly version: string
        readonly state: 'active' | 'leaving' | 'cordoned' | 'draining' | 'quarantined'
        readonly stateReason: string
        readonly stateSince: string
        /** Reason of the node for taking no work now; empty without */
        readonly pause: string
        /** Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes */
        readonly offer: Readonly<Record<string, unknown>>
        readonly usage: {
          /** Busy share of the processor, 0 to 1 */
          readonly cpu: number
          readonly memoryUsedMb: number
          readonly memoryMb: number
          readonly diskUsedMb: number
          readonly diskMb: number
        } | null
        /** Tasks that it runs now */
        readonly running: number
        /** Attempts that succeeded in the last hour */
        readonly succeeded: number
        /** Attempts that failed or were lost in the last hour */
        readonly failed: number
        /** Seconds since it spoke last */
        readonly silentSeconds: number
      }[]
    }
  }
  'POST /api/operator/nodes/release': {
    readonly body: {
      readonly nodes: readonly string[]
      readonly why: string
    }
    readonly reply: {
      readonly nodes: readonly {
        readonly id: string
        readonly name: string
        readonly version: string
        readonly state: 'active' | 'leaving' | 'cordoned' | 'draining' | 'quarantined'
        readonly stateReason: string
        readonly stateSince: string
        /** Reason of the node for taking no work now; empty without */
        readonly pause: string
        /** Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes */
        readonly offer: Readonly<Record<string, unknown>>
        readonly usage: {
          /** Busy share of the processor, 0 to 1 */
          readonly cpu: number
          readonly memoryUsedMb: number
          readonly memoryMb: number
          readonly diskUsedMb: number
          readonly diskMb: number
        } | null
        /** Tasks that it runs now */
        readonly running: number
        /** Attempts that succeeded in the last hour */
        readonly succeeded: number
        /** Attempts that failed or were lost in the last hour */
        readonly failed: number
        /** Seconds since it spoke last */
        readonly silentSeconds: number
      }[]
    }
  }
  'POST /api/operator/nodes/uncordon': {
    readonly body: {
      readonly nodes: readonly string[]
      readonly why: string
    }
    readonly reply: {
      readonly nodes: readonly {
        readonly id: string
        readonly name: string
        readonly version: string
        readonly state: 'active' | 'leaving' | 'cordoned' | 'draining' | 'quarantined'
        readonly stateReason: string
        readonly stateSince: string
        /** Reason of the node for taking no work now; empty without */
        readonly pause: string
        /** Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes */
        readonly offer: Readonly<Record<string, unknown>>
        readonly usage: {
          /** Busy share of the processor, 0 to 1 */
          readonly cpu: number
          readonly memoryUsedMb: number
          readonly memoryMb: number
          readonly diskUsedMb: number
          readonly diskMb: number
        } | null
        /** Tasks that it runs now */
        readonly running: number
        /** Attempts that succeeded in the last hour */
        readonly succeeded: number
        /** Attempts that failed or were lost in the last hour */
        readonly failed: number
        /** Seconds since it spoke last */
        readonly silentSeconds: number
      }[]
    }
  }
  'POST /api/operator/operators': {
    readonly body: {
      readonly email: string
      readonly role: 'viewer' | 'operator' | 'admin'
      /** One is made if absent */
      readonly password?: string
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly email: string
      readonly password: string | null
    }
  }
  'POST /api/operator/operators/{email}/disable': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly email: string
      readonly role: 'viewer' | 'operator' | 'admin'
      readonly madeBy: string
      readonly createdAt: string
      readonly disabledAt: string | null
      readonly lastUsedAt: string | null
    }
  }
  'POST /api/operator/operators/{email}/reset-password': {
    readonly body: {
      /** One is made if absent */
      readonly password?: string
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly email: string
      readonly password: string | null
    }
  }
  'POST /api/operator/operators/{email}/role': {
    readonly body: {
      readonly role: 'viewer' | 'operator' | 'admin'
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly email: string
      readonly role: 'viewer' | 'operator' | 'admin'
      readonly madeBy: string
      readonly createdAt: string
      readonly disabledAt: string | null
      readonly lastUsedAt: string | null
    }
  }
  'POST /api/operator/pools/limit': {
    readonly body: {
      readonly pool: string | null
      readonly slots: number | null
      readonly why: string
    }
    readonly reply: {
      readonly pools: readonly {
        readonly pool: string | null
        /** Nodes that take work */
        readonly nodes: number
        /** Slots of the nodes that take work */
        readonly slots: number
        /** Nodes that have not spoken for half a minute */
        readonly silent: number
        /** Nodes that speak, but take no work */
        readonly stopped: number
        readonly running: number
        readonly slotsMax: number | null
      }[]
    }
  }
  'POST /api/operator/receivers': {
    readonly body: {
      readonly name: string
      readonly form: 'json' | 'slack' | 'pagerduty'
      /** https address; for pagerduty https://events.pagerduty.com/v2/enqueue if absent */
      readonly url?: string
      /** Routing key, for pagerduty only */
      readonly key?: string
      readonly onlyPages?: boolean
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly form: 'json' | 'slack' | 'pagerduty'
      /** Host of its address; the rest is secret */
      readonly host: string
      /** It hears only of alerts that wake somebody */
      readonly onlyPages: boolean
      readonly madeBy: string
      readonly createdAt: string
      /** Notices that wait to be sent */
      readonly waiting: number
      readonly lastSentAt: string | null
      readonly lastError: string | null
      readonly secret: string | null
    }
  }
  'POST /api/operator/receivers/{receiver}/remove': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly form: 'json' | 'slack' | 'pagerduty'
      /** Host of its address; the rest is secret */
      readonly host: string
      /** It hears only of alerts that wake somebody */
      readonly onlyPages: boolean
      readonly madeBy: string
      readonly createdAt: string
      /** Notices that wait to be sent */
      readonly waiting: number
      readonly lastSentAt: string | null
      readonly lastError: string | null
    }
  }
  'POST /api/operator/receivers/{receiver}/test': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly name: string
      readonly form: 'json' | 'slack' | 'pagerduty'
      /** Host of its address; the rest is secret */
      readonly host: string
      /** It hears only of alerts that wake somebody */
      readonly onlyPages: boolean
      readonly madeBy: string
      readonly createdAt: string
      /** Notices that wait to be sent */
      readonly waiting: number
      readonly lastSentAt: string | null
      readonly lastError: string | null
    }
  }
  'POST /api/operator/tasks/{task}/attempts/{attempt}/end': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/tasks/{task}/retry': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly accountId: string
      readonly account: string
      readonly name: string
      readonly state:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly stateReason: string
      readonly stage:
        | 'resolve'
        | 'ingest'
        | 'bake'
        | 'plan'
        | 'render'
        | 'assemble'
        | 'settle'
        | null
      readonly priority: 'low' | 'normal' | 'high'
      readonly queued: number
      readonly running: number
      readonly heldAt: string | null
      /** Reason of the operator who holds it; empty without */
      readonly holdReason: string
      readonly error: {
        readonly code: string
        readonly message: string
        readonly details?: readonly Readonly<Record<string, unknown>>[]
        readonly field?: string
      } | null
      readonly createdAt: string
      readonly finishedAt: string | null
    }
  }
  'POST /api/operator/users/{email}/end-sessions': {
    readonly body: {
      readonly why: string
    }
    readonly reply: {
      readonly email: string
      /** Sessions that ended */
      readonly sessions: number
      /** Agents that were disconnected */
      readonly agents: number
    }
  }
  'POST /api/operator/users/{email}/set-password': {
    readonly body: {
      /** One is made if absent */
      readonly password?: string
      readonly why: string
    }
    readonly reply: {
      readonly id: string
      readonly email: string
      readonly password: string | null
    }
  }
}
