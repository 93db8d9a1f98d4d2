import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BulkRequest } from '../client/api-types.ts'
import type { BulkResult } from '../client/bulks.ts'
import { createFarmClient, type FarmClient } from '../client/farm-client.ts'

export type Job = {
  readonly id: string
  readonly state: string
  readonly failedReason: string | null
  readonly url: string | null
  readonly stages: Readonly<Record<string, { readonly seconds: number }>>
}

export type WarmFarm = {
  /** Data folder, whose path all its processes mention. */
  readonly data: string
  /** Id of the process that started all others. */
  readonly pid: number
  readonly client: FarmClient
  readonly url: string
  /** Address that signs in once, as a customer and as an operator. */
  readonly dashboardUrl: string
  /** Renders one film, from POST to completed. */
  render(payload: object): Promise<Job>
  /** Renders one bulk until all of its films are ready; results are in the order of its items. */
  renderBulk(request: BulkRequest): Promise<readonly BulkResult[]>
  /** Returns the seconds that the node spent on each stage since the last call, from its log. */
  takeNodeSeconds(): Promise<Map<string, number>>
  stop(): Promise<void>
}

type LogLine = { readonly stages?: Readonly<Record<string, number>> }

/** Longest interval between polls of a bulk, as in the client's `waitBulk`. */
const bulkPollMs = 500

/**
 * Polling interval as a share of the time so far: the measured time is too long by at most that.
 */
const pollShare = 1 / 200

/**
 * Folders of ended farms, removed at exit. A file system without a journal does not reuse
 * just-removed space: in the minutes after removing a farm's thousands of files, each new file
 * costs it a search.
 */
const left: string[] = []
process.once('exit', () => {
  for (const data of left) rmSync(data, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** Starts a farm in a folder of its own. */
export async function startWarmFarm({
  trustedHosts = '',
  env = {},
  pollMs = 20,
  workers = 1,
}: {
  trustedHosts?: string
  /** Environment of every role. */
  env?: Readonly<Record<string, string>>
  /** Shortest polling interval for a job; a poll costs the farm 2 ms of a core. */
  pollMs?: number
  workers?: number
} = {}): Promise<WarmFarm> {
  const data = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const dev = spawn('./farm', ['dev', '--json', '--workers', String(workers), '--data', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env, FARM_TRUSTED_HOSTS: trustedHosts },
  })
  const ended = new Promise<void>((resolve) => dev.once('exit', () => resolve()))
  let linesRead = 0
  type Door = { readonly url: string; readonly apiKey: string; readonly dashboardUrl: string }
  const { url, apiKey, dashboardUrl } = await new Promise<Door>((resolve, reject) => {
    createInterface({ input: dev.stdout }).once('line', (line) => resolve(JSON.parse(line)))
    void ended.then(() => reject(new Error('farm dev ended before it was ready')))
  })
  const client = createFarmClient({ url, apiKey })
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const submit = async (payload: object) => {
    const body = JSON.stringify({ payload })
    const reply = await fetch(`${url}/api/render/api-key`, { method: 'POST', headers, body })
    const answer = (await reply.json()) as { jobId: string }
    if (reply.status !== 202) throw new Error(JSON.stringify(answer))
    return answer.jobId
  }
  const completed = async (id: string) => {
    const begun = performance.now()
    for (;;) {
      const job = (await (await fetch(`${url}/api/jobs/${id}`, { headers })).json()) as Job
      if (job.state === 'completed') return job
      if (job.state === 'failed') throw new Error(`the film failed: ${job.failedReason}`)
      await sleep(Math.max(pollMs, (performance.now() - begun) * pollShare))
    }
  }
  if (dev.pid === undefined) throw new Error('farm dev must have a process. Got none')
  return {
    ...{ data, pid: dev.pid, client, url, dashboardUrl },
    render: async (payload) => completed(await submit(payload)),
    async renderBulk(request) {
      const { bulkId } = await client.submitBulk(request)
      const { counts } = await client.waitBulk(bulkId, { pollMs: bulkPollMs })
      if (counts.completed < request.items.length) throw new Error(JSON.stringify(counts))
      return await client.bulkResults(bulkId)
    },
    async takeNodeSeconds() {
      const lines = (await readFile(join(data, 'logs', 'worker-1.log'), 'utf8')).split('\n')
      const seconds = new Map<string, number>()
      for (const line of lines.slice(linesRead)) {
        for (const [stage, spent] of Object.entries(stagesIn(line))) {
          seconds.set(stage, (seconds.get(stage) ?? 0) + spent)
        }
      }
      linesRead = lines.length - 1
      return seconds
    },
    async stop() {
      dev.kill('SIGINT')
      await ended
      left.push(data)
    },
  }
}

/** Parses the stages from a node's log line of a finished task. */
function stagesIn(line: string): Readonly<Record<string, number>> {
  return line.includes('"task done"') ? ((JSON.parse(line) as LogLine).stages ?? {}) : {}
}
