import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { sql } from 'kysely'
import { pino } from 'pino'
import { signPlayLinks } from '../../../api/playback/play-links.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { addTask } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { renderPath, requestOf, startGateway } from '../gateway.ts'

/** Waits of players that end before their pieces are there. */

const gateway = await startGateway()
const { db } = gateway
test.after.always(() => gateway.stop())

const plan = {
  timeline: { width: 320, height: 180, frameRate: 30 },
  audio: [],
  encoder: { encoder: 'libx264' },
  segments: [0, 1].map((i) => ({ start: i * 60, frames: 60, fingerprint: `${i}`.repeat(64) })),
}

/** A film whose two shards are queued, and its addresses. */
async function rendering() {
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  const job = { accountId: customer.accountId, jobId }
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  await enterStage(db, { ...job, stage: 'resolve' })
  const frames = { total: 120, reused: 0, painted: 120 }
  await enterStage(db, { ...job, stage: 'plan', frames, format: 'mp4' })
  for (const name of ['segment-0', 'segment-1'])
    await addTask(db, { ...job, name, outputs: [name] })
  const links = { publicUrl: '', secret: gateway.secret }
  const { playlistUrl } = signPlayLinks(links, { jobId, filesExpireAt: null, now: new Date() })
  return { jobId, at: (file: string) => playlistUrl.replace('film.m3u8', file) }
}

async function wantedOf(jobId: string): Promise<number> {
  const { rows } = await sql`
    select from tasks where job_id = ${jobId} and wanted_until is not null`.execute(db)
  return rows.length
}

/** Returns once a player's wait has brought a shard of the film forward. */
async function untilWanted(jobId: string): Promise<void> {
  while ((await wantedOf(jobId)) === 0) await sleep(50)
}

/** Starts an api that listens, with the lines that it logs. */
async function listening() {
  const lines: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line))
      done()
    },
  })
  const { server, stop } = await gateway.startReplica({}, pino({ level: 'warn' }, stream))
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  return { server, stop, lines, address }
}

const connectionsOf = ({ server }: Awaited<ReturnType<typeof listening>>['server']) =>
  promisify(server.getConnections.bind(server))()

test('an api that stops lets its waiting players go', async (t) => {
  const { server, stop, lines, address } = await listening()
  const { jobId, at } = await rendering()
  const waiting = fetch(address + at('pictures-0.m4s'))
  await untilWanted(jobId)
  // Half of the time that the player would have waited.
  t.timeout(10_000)
  await server.close()
  const reply = await waiting
  t.is(reply.status, 503)
  t.is(reply.headers.get('retry-after'), '1')
  t.deepEqual(lines, [])
  await stop()
})

test('a player that leaves is no failure in the log', async (t) => {
  const { server, stop, lines, address } = await listening()
  const { jobId, at } = await rendering()
  const leaving = new AbortController()
  const { signal } = leaving
  const waiting = fetch(address + at('pictures-0.m4s'), { signal })
  await untilWanted(jobId)
  leaving.abort()
  await t.throwsAsync(waiting, { name: 'AbortError' })
  while ((await connectionsOf(server)) > 0) await sleep(50)
  await stop()
  t.deepEqual(lines, [])
})

test('a player that has left already raises nothing', async (t) => {
  const { jobId } = await rendering()
  const leaving = new AbortController()
  const piece = { kind: 'piece', track: 'pictures', number: 1 } as const
  const given = gateway.context.playback.give(piece, { jobId, signal: leaving.signal })
  leaving.abort(new Error('The player has left'))
  await t.throwsAsync(given, { message: 'The player has left' })
  t.is(await wantedOf(jobId), 0)
})
