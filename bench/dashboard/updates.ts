import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import type { Stage } from '../api/stage.ts'

const turnMs = 50

/** Paints a frame of the account's newest jobs so many times a second, as the database tells it. */
export async function changeJobs(
  { db }: Stage,
  { accountId, perSecond, seconds }: { accountId: string; perSecond: number; seconds: number },
): Promise<void> {
  const begun = Date.now()
  let changed = 0
  while (Date.now() - begun < seconds * 1000) {
    const due = Math.floor(((Date.now() - begun) / 1000) * perSecond) - changed
    if (due > 0) {
      changed += due
      await sql`
        with newest as (
          select id from jobs where account_id = ${accountId}
          order by created_at desc, id limit 40
        ), changed as (
          update jobs set frames_painted = frames_painted + 1, updated_at = now()
          where id in (select id from newest order by random() limit ${Math.min(40, due)})
          returning id
        )
        select pg_notify('job_changes', id::text) from changed`.execute(db)
    }
    await sleep(turnMs)
  }
}

/** Returns the share of its time that the page's main thread works meanwhile, slowed `slowness` times. */
export async function busyShare(
  page: Page,
  { slowness, work }: { slowness: number; work: () => Promise<void> },
): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowness })
  const read = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    const value = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN
    return { busy: value('TaskDuration'), at: value('Timestamp') }
  }
  const before = await read()
  await work()
  const after = await read()
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await devtools.detach()
  return (after.busy - before.busy) / (after.at - before.at)
}

/** Returns the page's heap after a collection, in MB. */
export async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize / 1e6
}

/** Page script: records when a chunk of the stream comes, and when the next picture is painted. */
export const watchPaints = `
  globalThis.farmPaints = []
  const ask = globalThis.fetch
  globalThis.fetch = async (...args) => {
    const reply = await ask(...args)
    const url = typeof args[0] === 'string' ? args[0] : args[0].url
    if (!url.includes('/api/events') || !reply.body) return reply
    const seen = new TransformStream({
      transform(chunk, controller) {
        const came = performance.now()
        controller.enqueue(chunk)
        requestAnimationFrame(() => setTimeout(() => {
          globalThis.farmPaints.push(performance.now() - came)
        }))
      },
    })
    return new Response(reply.body.pipeThrough(seen), reply)
  }`
