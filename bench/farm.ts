import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { secondsOf, showSpread, showTable, spreadOf } from './statistics.ts'

const repeats = 5
const pollMs = 5

type Farm = { readonly url: string; readonly apiKey: string }
type Job = {
  readonly state: string
  readonly failedReason: string | null
  readonly stages: Readonly<Record<string, { readonly seconds: number }>>
}

/**
 * The overhead of the farm itself: wall seconds of a 1-second 320x180 film through a warm farm, from
 * POST to completed, and the seconds of each stage. Every film differs, so nothing is reused.
 */
export async function benchFarm(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const dev = spawn('./farm', ['dev', '--json', '--workers', '1', '--data', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => dev.once('exit', () => resolve()))
  try {
    const farm = await new Promise<Farm>((resolve, reject) => {
      createInterface({ input: dev.stdout }).once('line', (line) => resolve(JSON.parse(line)))
      void ended.then(() => reject(new Error('farm dev ended before it was ready')))
    })
    await renderOnce(farm, 'warm up')
    const totals: number[] = []
    const stages = new Map<string, number[]>()
    for (let run = 0; run < repeats; run += 1) {
      const wall = await secondsOf(async () => {
        const job = await renderOnce(farm, `run ${run}`)
        for (const [stage, { seconds }] of Object.entries(job.stages)) {
          stages.set(stage, [...(stages.get(stage) ?? []), seconds])
        }
      })
      totals.push(wall)
    }
    print(totals, stages)
  } finally {
    dev.kill('SIGINT')
    await ended
    await rm(data, { recursive: true, force: true })
  }
}

function print(totals: readonly number[], stages: ReadonlyMap<string, number[]>): void {
  const rows = [...stages].map(([stage, seconds]) => [stage, showSpread(spreadOf(seconds), 3)])
  rows.push(['POST to completed', showSpread(spreadOf(totals), 3)])
  process.stdout.write(
    `\nA 1-second 320x180 film through a warm farm, seconds: median (min .. max) of ${repeats}\n`,
  )
  process.stdout.write(`${showTable(['stage', 'seconds'], rows)}\n`)
}

async function renderOnce({ url, apiKey }: Farm, words: string): Promise<Job> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const payload = {
    name: words,
    width: 320,
    height: 180,
    duration: 1,
    visuals: [{ type: 'TEXT', html: `<b>${words}</b>`, position: 'center-center' }],
  }
  const body = JSON.stringify({ payload })
  const reply = await fetch(`${url}/api/render/api-key`, { method: 'POST', headers, body })
  const { jobId } = (await reply.json()) as { jobId: string }
  for (;;) {
    const job = (await (await fetch(`${url}/api/jobs/${jobId}`, { headers })).json()) as Job
    if (job.state === 'completed') return job
    if (job.state === 'failed') throw new Error(`the film failed: ${job.failedReason}`)
    await sleep(pollMs)
  }
}
