import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { showSpread, spreadOf } from '../statistics.ts'
import { type Costed, costOf, showCosts } from './costs.ts'
import { type Limit, startBareRoutes, startLeastPrograms } from './limits.ts'
import { load, type Request } from './load.ts'
import type { Customer, Stage } from './stage.ts'

const clients = 32
/** Requests whose workflows start after their answers: fewer than an api process lets wait. */
const requests = 1_500
const bareRequests = 10_000
const warmUps = 500

export const film = {
  width: 1280,
  height: 720,
  duration: 6,
  visuals: [
    { type: 'IMAGE', src: 'https://cdn.example.com/a.jpg', resize: 'cover', exitEnd: 6 },
    { type: 'TEXT', html: '<b>Hello {{ name }}</b>', position: 'center-center', enterEnd: 1 },
  ],
  variables: { name: 'you' },
}

const settleMs = 180_000
const pollMs = 250

/**
 * Measures accepted submissions a second: validation, hold, job and workflow start. Two limits run
 * in turn with it, in two processes each: a bare route with one insert, and the minimal program
 * that holds and starts.
 */
export async function measureSubmissions(
  stage: Stage,
  customers: readonly Customer[],
  repeats: number,
): Promise<string[][]> {
  const bare = await startBareRoutes(stage)
  const least = await startLeastPrograms(stage, customers.length)
  const loads = {
    bare: (count: number) => bareLoad(stage, bare, count),
    least: (count: number) => leastLoad(stage, least, count),
    ours: (count: number) => ourLoad(stage, customers, count),
  }
  try {
    for (const run of Object.values(loads)) await run(warmUps)
    const turns: { bare: Costed; least: Costed; ours: Costed }[] = []
    for (let turn = 0; turn < repeats; turn += 1) {
      turns.push({
        bare: await loads.bare(bareRequests),
        least: await loads.least(requests),
        ours: await loads.ours(requests),
      })
    }
    const of = (value: (turn: (typeof turns)[number]) => number, digits = 0) =>
      showSpread(spreadOf(turns.map(value)), digits)
    return [
      ['submissions a second', of(({ ours }) => ours.perSecond)],
      ['until all their workflows are started, a second', of(({ ours }) => ours.donePerSecond)],
      ['their answer, median ms', of(({ ours }) => ours.median, 1)],
      ['their answer, p99 ms', of(({ ours }) => ours.p99, 1)],
      ['processor ms for one', showCosts(turns.map(({ ours }) => ours))],
      ['the limit: a bare route with one insert, a second', of((turn) => turn.bare.perSecond)],
      ['its p99, ms', of((turn) => turn.bare.p99, 1)],
      ['processor ms for one', showCosts(turns.map((turn) => turn.bare))],
      ['of the limit', of(({ ours, ...turn }) => ours.perSecond / turn.bare.perSecond, 2)],
      ['the least program that holds and starts, a second', of(({ least }) => least.perSecond)],
      ['until all are started, a second', of(({ least }) => least.donePerSecond)],
      ['its p99, ms', of((turn) => turn.least.p99, 1)],
      ['processor ms for one', showCosts(turns.map((turn) => turn.least))],
      ['it, of the limit', of((turn) => turn.least.perSecond / turn.bare.perSecond, 2)],
      ['submissions, of it', of(({ ours, ...turn }) => ours.perSecond / turn.least.perSecond, 2)],
      [
        'until all are started, of it',
        of(({ ours, least }) => ours.donePerSecond / least.donePerSecond, 2),
      ],
    ]
  } finally {
    await Promise.all([bare.stop(), least.stop()])
  }
}

const body = JSON.stringify({ payload: film })
const json = { 'content-type': 'application/json' }

async function bareLoad(
  stage: Stage,
  { addresses, pids }: Limit,
  requests: number,
): Promise<Costed> {
  const next = (): Request => ({
    ...{ method: 'POST', path: '/insert', headers: json, body, status: 202 },
  })
  const run = () => load(addresses, { clients, requests, next })
  return await costOf(stage, { servers: pids, run })
}

async function leastLoad(
  stage: Stage,
  { addresses, pids, accountIds }: Limit & { readonly accountIds: readonly string[] },
  requests: number,
): Promise<Costed> {
  const next = (count: number): Request => ({
    ...{ method: 'POST', path: '/submit', body, status: 202 },
    headers: { ...json, 'x-account': accountIds[count % accountIds.length] ?? '' },
  })
  const waiting = async () => {
    const asked = addresses.map(async (address) => (await fetch(`${address}/healthz`)).json())
    const answers = (await Promise.all(asked)) as { waiting: number }[]
    return answers.reduce((sum, each) => sum + each.waiting, 0)
  }
  const run = () => load(addresses, { clients, requests, next })
  return await costOf(stage, { servers: pids, run, settled: () => untilNone(waiting) })
}

async function ourLoad(
  stage: Stage,
  customers: readonly Customer[],
  requests: number,
): Promise<Costed> {
  const next = (count: number): Request => ({
    ...{ method: 'POST', path: '/api/render/api-key', body, status: 202 },
    headers: { ...json, 'x-api-key': customers[count % customers.length]?.key ?? '' },
  })
  const waiting = async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*) as waiting from jobs where workflow_started_at is null and state = 'queued'`.execute(
      stage.db,
    )
    return rows[0]?.waiting ?? 0
  }
  const run = () => load(stage.addresses, { clients, requests, next })
  const servers = stage.pids.apis
  return await costOf(stage, { servers, run, settled: () => untilNone(waiting) })
}

/** Waits until all workflows are started. */
async function untilNone(waiting: () => Promise<number>): Promise<void> {
  const until = performance.now() + settleMs
  for (let left = await waiting(); left > 0; left = await waiting()) {
    if (performance.now() > until)
      throw new Error(`All workflows must be started. Got ${left} left`)
    await sleep(pollMs)
  }
}
