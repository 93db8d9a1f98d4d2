import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { sql } from 'kysely'
import { createKey } from '../../store/db/accounts/create-key.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { addAccount, silent } from '../store/database.ts'
import { fetchTrack, framesOf } from './played.ts'
import { startFarm } from './running-farm.ts'

/** One slot, so that the turns of the accounts come one after the other. */
const farm = await startFarm({ workers: 1, env: { FARM_SLOTS: '1' } })
const settings = await readFile(join(farm.data, 'operate.env'), 'utf8')
const url = /^DATABASE_URL=(.*)$/m.exec(settings)?.[1] ?? ''
const db: Db = openDatabase({ url, log: silent })
test.after.always(async () => {
  await db.destroy()
  await farm.stop()
})

const [films, watchedAt] = [50, 37]
/** Turns that an account may be ahead: those that were given while the other was not there yet. */
const mostAhead = 3

/** Six seconds that move. Each film has colours of its own, and costs as much as any other. */
const film = {
  ...{ width: 320, height: 180, frameRate: 30 },
  scenes: [0, 1].map((n) => ({
    ...{ id: `s${n}`, duration: 3, backgroundColor: `#{{ colour${n} }}` },
    ...{ transition: 'fade', transitionDuration: 1.5 },
  })),
}

/** Fields of a job or a bulk. */
type Answer = {
  readonly bulkId: string
  readonly jobIds: readonly string[]
  readonly state: string
  readonly playlistUrl: string | null
  readonly url: string
}

/** Posts a bulk in the name of a new account. */
async function bulkOf(first: number) {
  const accountId = await addAccount(db, 10_000)
  const { key } = await createKey(db, { accountId, name: 'bulk' })
  const call = async (path: string, body?: unknown) => {
    const reply = await fetch(farm.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return (await reply.json()) as Answer
  }
  const items = Array.from({ length: films }, (_, n) => {
    const [colour0, colour1] = [0, 1].map((k) => String(100_000 + (first + 2 * n + k) * 41))
    return { variables: { colour0, colour1 } }
  })
  const { bulkId, jobIds } = await call('/api/render/bulk/api-key', { payload: film, items })
  return { accountId, bulkId, jobIds, call }
}

type Bulk = Awaited<ReturnType<typeof bulkOf>>

async function waitUntil(isSo: () => Promise<boolean>) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Account and job of each turn, while both accounts had films left to begin. */
async function turnsOf(bulks: readonly Bulk[]) {
  const ids = bulks.map(({ accountId }) => accountId)
  const { rows } = await sql<{ accountId: string; jobId: string }>`
    select a.account_id as "accountId", a.job_id as "jobId" from attempts a
    where a.account_id = any(${ids}::uuid[]) order by a.leased_at, a.task_id`.execute(db)
  const of = (id: string | undefined) => rows.map(({ accountId }) => accountId === id)
  const begin = Math.max(...ids.map((id) => of(id).indexOf(true)))
  const end = Math.min(...ids.map((id) => of(id).lastIndexOf(true)))
  return { rows, shared: rows.slice(begin, end + 1) }
}

test('a bulk of 50 with one played film is fair to others', async (t) => {
  t.timeout(10 * 60_000)
  const other = await bulkOf(0)
  const crowd = await bulkOf(2 * films)
  const jobId = crowd.jobIds[watchedAt] ?? ''
  const job = async () => await crowd.call(`/api/jobs/${jobId}`)
  await waitUntil(async () => (await job()).playlistUrl !== null)
  const { playlistUrl } = await job()
  const pictures = await fetchTrack(String(playlistUrl), 'pictures')
  for (const { call, bulkId } of [other, crowd]) {
    await waitUntil(async () => (await call(`/api/render/bulk/${bulkId}`)).state === 'finished')
    t.like(await call(`/api/render/bulk/${bulkId}`), { counts: { completed: films } })
  }
  const { rows, shared } = await turnsOf([other, crowd])
  t.true(shared.length > films, `${shared.length}`)
  let ahead = 0
  for (const [turn, { accountId }] of shared.entries()) {
    ahead += accountId === crowd.accountId ? 1 : -1
    t.true(Math.abs(ahead) <= mostAhead, `turn ${turn}: ${ahead}`)
  }
  const crowdTurns = rows.filter(({ accountId }) => accountId === crowd.accountId)
  const played = crowdTurns.findIndex((turn) => turn.jobId === jobId)
  t.log({ turns: rows.length, shared: shared.length, played })
  t.true(played < watchedAt / 2, `its turn was ${played}, not ${watchedAt}`)
  t.is(crowdTurns.length, films, 'playing costs no turn more')
  const file = await fetch((await job()).url)
  t.deepEqual(await framesOf(pictures), await framesOf(Buffer.from(await file.arrayBuffer())))
})
