import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 5

export type Job = {
  readonly state: string
  readonly failedReason: string | null
  readonly stages: Readonly<Record<string, { readonly seconds: number }>>
}

export type WarmFarm = {
  /** From POST to completed. */
  render(payload: object): Promise<Job>
  /** Seconds that nodes spent on each of their stages since the last call, from their logs. */
  takeNodeSeconds(): Map<string, number>
  stop(): Promise<void>
}

type LogLine = { readonly msg?: string; readonly stages?: Readonly<Record<string, number>> }

/** A farm of one worker in a folder that goes with it. */
export async function startWarmFarm({
  trustedHosts = '',
}: {
  trustedHosts?: string
} = {}): Promise<WarmFarm> {
  const data = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const dev = spawn('./farm', ['dev', '--json', '--workers', '1', '--data', data], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FARM_TRUSTED_HOSTS: trustedHosts },
  })
  const ended = new Promise<void>((resolve) => dev.once('exit', () => resolve()))
  let nodeSeconds = new Map<string, number>()
  createInterface({ input: dev.stderr }).on('line', (line) => {
    for (const [stage, seconds] of Object.entries(stagesIn(line))) {
      nodeSeconds.set(stage, (nodeSeconds.get(stage) ?? 0) + seconds)
    }
  })
  const { url, apiKey } = await new Promise<{ url: string; apiKey: string }>((resolve, reject) => {
    createInterface({ input: dev.stdout }).once('line', (line) => resolve(JSON.parse(line)))
    void ended.then(() => reject(new Error('farm dev ended before it was ready')))
  })
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  return {
    async render(payload) {
      const body = JSON.stringify({ payload })
      const reply = await fetch(`${url}/api/render/api-key`, { method: 'POST', headers, body })
      const answer = (await reply.json()) as { jobId: string }
      if (reply.status !== 202) throw new Error(JSON.stringify(answer))
      for (;;) {
        const job = (await (
          await fetch(`${url}/api/jobs/${answer.jobId}`, { headers })
        ).json()) as Job
        if (job.state === 'completed') return job
        if (job.state === 'failed') throw new Error(`the film failed: ${job.failedReason}`)
        await sleep(pollMs)
      }
    },
    takeNodeSeconds() {
      const taken = nodeSeconds
      nodeSeconds = new Map()
      return taken
    },
    async stop() {
      dev.kill('SIGINT')
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** What a node says of a task it has done; `farm dev` puts a role's name before each line. */
function stagesIn(line: string): Readonly<Record<string, number>> {
  const json = line.slice(line.indexOf('{'))
  if (!json.includes('"task done"')) return {}
  try {
    return (JSON.parse(json) as LogLine).stages ?? {}
  } catch {
    return {} // a line that only mentions it
  }
}
