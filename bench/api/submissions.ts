import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { freePorts } from '../../infra/local/ports.ts'
import { startProcess, waitUntilReady } from '../../infra/local/processes.ts'
import { showSpread, spreadOf } from '../statistics.ts'
import { type Load, load } from './load.ts'
import type { Customer, Stage } from './stage.ts'

const clients = 32
const seconds = 8
const warmUpSeconds = 3

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

/**
 * Accepted submissions a second: validation, hold, job and the start of its workflow. Beside it, in the
 * same run and by turns, a bare route with one insert, also in two processes.
 */
export async function measureSubmissions(
  stage: Stage,
  customers: readonly Customer[],
  repeats: number,
): Promise<string[][]> {
  const bare = await startBareRoutes(stage)
  const body = JSON.stringify({ payload: film })
  const json = { 'content-type': 'application/json' }
  const limit = (time: number) =>
    load(bare.doors, {
      ...{ clients, seconds: time },
      next: () => ({ method: 'POST', path: '/insert', headers: json, body, status: 202 }),
    })
  const submit = (time: number) =>
    load(stage.doors, {
      ...{ clients, seconds: time },
      next: (count) => ({
        ...{ method: 'POST', path: '/api/render/api-key', body, status: 202 },
        headers: { ...json, 'x-api-key': customers[count % customers.length]?.key ?? '' },
      }),
    })
  try {
    await limit(warmUpSeconds)
    await submit(warmUpSeconds)
    const turns: { limit: Load; submitted: Load }[] = []
    for (let turn = 0; turn < repeats; turn += 1) {
      turns.push({ limit: await limit(seconds), submitted: await submit(seconds) })
    }
    const of = (value: (turn: (typeof turns)[number]) => number, digits = 0) =>
      showSpread(spreadOf(turns.map(value)), digits)
    return [
      ['submissions a second', of((turn) => turn.submitted.perSecond)],
      ['their answer, median ms', of((turn) => turn.submitted.median, 1)],
      ['their answer, p99 ms', of((turn) => turn.submitted.p99, 1)],
      ['the limit: a bare route with one insert, a second', of((turn) => turn.limit.perSecond)],
      ['its p99, ms', of((turn) => turn.limit.p99, 1)],
      ['of the limit', of((turn) => turn.submitted.perSecond / turn.limit.perSecond, 2)],
    ]
  } finally {
    await bare.stop()
  }
}

async function startBareRoutes({ db, databaseUrl, folder }: Stage) {
  await sql`create table bench_requests (id uuid primary key, request jsonb)`.execute(db)
  const script = fileURLToPath(new URL('bare-route.ts', import.meta.url))
  const ports = await freePorts(2)
  const running = await Promise.all(
    ports.map(async (port) => {
      const process_ = await startProcess({
        name: 'a bare route',
        command: process.execPath,
        args: [script, String(port), databaseUrl],
        logFile: join(folder, `bare-${port}.log`),
      })
      const probe = () => fetch(`http://127.0.0.1:${port}/healthz`)
      await waitUntilReady(process_, { probe, timeoutMs: 30_000 })
      return process_
    }),
  )
  return {
    doors: ports.map((port) => `http://127.0.0.1:${port}`),
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()))
    },
  }
}
