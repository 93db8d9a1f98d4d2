import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { largestPlan } from '../../core/accounts/plans.ts'
import { createAccount } from '../../store/db/accounts/create-account.ts'
import { createKey } from '../../store/db/accounts/create-key.ts'
import { grantCredits } from '../../store/db/accounts/grant-credits.ts'
import type { Db } from '../../store/db/database.ts'
import { serveMedia } from '../farm/running-farm.ts'
import { whyNoDisks } from '../farm/small-disks.ts'
import { createApiClient } from './api-client.ts'
import { type Account, type Diary, openMarket } from './customers.ts'
import { type FarmOfMany, startFarmOfMany } from './farm-of-many.ts'
import { bringFaults, type Return } from './faults.ts'
import {
  forgottenObjects,
  openThings,
  openWorkflows,
  orphans,
  scratchFolders,
  stillThere,
} from './left-over.ts'
import { compareOutputs, renderCleanly } from './outputs.ts'
import { chaosMedia, projectsOf } from './projects.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { drawFaults } from './schedule.ts'
import {
  type Check,
  checkCredits,
  checkEvents,
  checkJobs,
  checkTasks,
  readJobs,
} from './verdict.ts'

export type ChaosOptions = {
  readonly seed: number
  /** Duration of the faults. */
  readonly seconds: number
  readonly say: (line: string) => void
}

export type Verdict = {
  readonly checks: readonly Check[]
  /** Counts for the reader; no promise depends on them. */
  readonly figures: readonly (readonly [string, string | number])[]
  /** Folder of the logs when a promise was broken. */
  readonly logs: string | undefined
}

/** Time after the last fault: the longest claim (a minute), a lease, and the work itself. */
export const settledWithinMs = 150_000
const credits = 100_000
const accountSeconds = 8
const progressEveryMs = 10_000

/**
 * Runs a farm of many processes, injects the seed's faults while customers use it, mends it, and
 * checks the result. Leaves nothing behind but, when a promise was broken, its logs.
 */
export async function runChaos(options: ChaosOptions): Promise<Verdict> {
  const { seed, say } = options
  const data = await mkdtemp(join(tmpdir(), `farm-chaos-${seed}-`))
  const media = await serveMedia(await chaosMedia(data))
  const receiver = await startReceiver()
  const whyNot = whyNoDisks()
  if (whyNot !== undefined) say(`No disk is filled: ${whyNot}`)
  let isKept = true
  let farm: FarmOfMany | undefined
  try {
    const trustedHosts = [media.hosts, receiver.host]
    const hasDisk = whyNot === undefined
    farm = await startFarmOfMany({ data, trustedHosts, hasDisk })
    const verdict = await breakAndJudge(farm, { ...options, at: media.at, receiver, hasDisk })
    isKept = verdict.checks.some(({ broken }) => broken.length > 0)
    return { ...verdict, logs: isKept ? join(data, 'logs') : undefined }
  } finally {
    await farm?.stop()
    await receiver.stop()
    media.close()
    await tidy(data, isKept)
  }
}

type Judged = Omit<Verdict, 'logs'>

async function breakAndJudge(
  farm: FarmOfMany,
  {
    seed,
    seconds,
    say,
    at,
    receiver,
    hasDisk,
  }: ChaosOptions & { at: (name: string) => string; receiver: Receiver; hasDisk: boolean },
): Promise<Judged> {
  const { db, data } = farm
  const began = performance.now()
  const api = createApiClient(farm.addresses)
  const projects = projectsOf(at)
  const webhookOf = (tag: string) => receiver.at(`/${tag}`)
  const [first, ...accounts] = await openAccounts(db, 1 + Math.ceil(seconds / accountSeconds))
  if (first === undefined) throw new Error('There must be an account')
  say(`${farm.parts.size} parts are ready; rendering ${projects.length} projects cleanly`)
  const clean = await renderCleanly(api, { account: first, projects, webhookOf })

  const cleanSeconds = Math.round((performance.now() - began) / 1000)
  say(`That took ${cleanSeconds} s. Breaking things for ${seconds} s`)
  const faults = drawFaults({ seed, seconds, hasDisk })
  await writeFile(join(data, 'logs', 'faults.json'), JSON.stringify(faults, null, 1))
  const deadline = Date.now() + seconds * 1000 + settledWithinMs
  const market = { seed, api, projects, accounts, webhookOf, seconds, deadline }
  const stopProgress = sayProgress(db, say)
  // Deliveries that are not answered later come again after the last fault
  // (core/webhooks/schedule.ts).
  setTimeout(receiver.answerAll, (seconds * 1000) / 2).unref()
  const selling = openMarket(market)
  const returns = await bringFaults(farm, faults, say)
  const mendedAt = Date.now()
  say('All is mended')
  const diary = await selling
  const unsettled = await settle(db, mendedAt + settledWithinMs)
  const settledMs = Date.now() - mendedAt
  stopProgress()

  say('Judging')
  const keys = new Map([first, ...accounts].map(({ id, key }) => [id, key]))
  const jobs = await readJobs(db)
  const completed = new Set(jobs.filter(({ state }) => state === 'completed').map(({ id }) => id))
  const results = [...clean.accepted, ...diary.accepted].filter(({ jobId }) => completed.has(jobId))
  const keyOf = (accountId: string) => keys.get(accountId) ?? ''
  const compared = await compareOutputs(api, { jobs: results, clean: clean.outputs, keyOf })
  const checks: Check[] = [
    ...checkJobs(jobs, diary),
    {
      promise: 'an output is its clean render, frame for frame',
      tested: results.length,
      broken: compared.wrong,
    },
    ...(await checkCredits(db)),
    ...(await checkEvents(db, { jobs, receiver })),
    await checkTasks(db),
    ...(await checkLeftOver(farm, unsettled)),
  ]
  const figures = await figuresOf(farm, { diary, receiver, settledMs, returns })
  const files = `${compared.sameBytes} the same bytes, ${compared.sameFrames} the same frames`
  return { checks, figures: [...figures, ['outputs', files]] }
}

/** Creates all customers of a run: they use one account after the other. */
async function openAccounts(db: Db, count: number): Promise<Account[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { id } = await createAccount(db, { name: `Chaos ${i}`, plan: largestPlan })
      await grantCredits(db, { accountId: id, credits, note: 'chaos' })
      const { key } = await createKey(db, { accountId: id, name: 'chaos' })
      return { id, key }
    }),
  )
}

/** Waits until no work is left. Answers the remaining work when the time is over. */
async function settle(db: Db, deadline: number): Promise<ReadonlyMap<string, number>> {
  for (;;) {
    const open = await openThings(db)
    if (open.size === 0 || Date.now() > deadline) return open
    await sleep(500)
  }
}

async function checkLeftOver(
  farm: FarmOfMany,
  unsettled: ReadonlyMap<string, number>,
): Promise<Check[]> {
  const withinS = settledWithinMs / 1000
  const workflows = await stillThere(() => openWorkflows(farm))
  const scratch = await stillThere(() => scratchFolders(farm))
  const strays = await stillThere(() => orphans(farm))
  const { endedByThemselves } = farm
  const parts = farm.parts.size
  await farm.stopRoles()
  const left = (promise: string, broken: readonly string[]) => ({ promise, tested: 1, broken })
  return [
    left(
      `nothing is left to do ${withinS} s after the last fault`,
      [...unsettled].map(([thing, n]) => `${n} ${thing} open`),
    ),
    left('no workflow runs on', workflows),
    left('no node keeps scratch files', scratch),
    left('no process is left behind', [...strays, ...(await stillThere(() => orphans(farm)))]),
    left('no object is left that nobody knows', await forgottenObjects(farm)),
    { promise: 'no part ends by itself', tested: parts, broken: endedByThemselves },
  ]
}

async function figuresOf(
  { db, data }: FarmOfMany,
  {
    diary,
    receiver,
    settledMs,
    returns,
  }: { diary: Diary; receiver: Receiver; settledMs: number; returns: readonly Return[] },
): Promise<[string, string | number][]> {
  const deliveries = new Set(receiver.arrivals.map(({ deliveryId }) => deliveryId)).size
  const refused = await Promise.all(
    [1, 2, 3].map(async (n) => {
      const log = await readFile(join(data, 'logs', `worker-${n}.log`), 'utf8')
      return log.split('\n').filter((line) => line.includes('"the outcome was refused"')).length
    }),
  )
  return [
    ['faults', sayFaults(returns)],
    ['longest restart', sayLongest(returns)],
    ['jobs', await countByState(db, 'jobs')],
    ['of them', `${diary.bulks} bulks, ${diary.cancelled} asked to be cancelled`],
    ['attempts', await countByState(db, 'attempts')],
    ['late outcomes refused', refused.reduce((sum, n) => sum + n, 0)],
    ['events', `${deliveries}, which came ${receiver.arrivals.length} times`],
    ['settled after the last fault', `${(settledMs / 1000).toFixed(1)} s`],
  ]
}

function sayFaults(returns: readonly Return[]): string {
  const kinds = [...Map.groupBy(returns, ({ kind }) => kind)]
  return `${returns.length}: ${kinds.map(([kind, all]) => `${kind} ${all.length}`).join(', ')}`
}

function sayLongest(returns: readonly Return[]): string {
  const [longest] = returns.toSorted((a, b) => b.ms - a.ms)
  return longest ? `${(longest.ms / 1000).toFixed(1)} s (${longest.kind})` : 'none'
}

async function countByState(db: Db, table: 'jobs' | 'attempts'): Promise<string> {
  const { rows } = await sql<{ state: string; n: number }>`
    select state, count(*) as n from ${sql.table(table)} group by 1 order by 2 desc`.execute(db)
  return rows.map(({ state, n }) => `${n} ${state}`).join(', ')
}

function sayProgress(db: Db, say: (line: string) => void): () => void {
  const timer = setInterval(() => {
    countByState(db, 'jobs')
      .then(async (jobs) => {
        const open = [...(await openThings(db))].map(([thing, n]) => `${n} ${thing}`)
        say(`         ${jobs}${open.length > 0 ? ` (${open.join(', ')})` : ''}`)
      })
      // The database may be down as one of the faults.
      .catch(() => undefined)
  }, progressEveryMs)
  return () => clearInterval(timer)
}

/** Logs are worth keeping, films and clusters are not. */
async function tidy(data: string, isKept: boolean): Promise<void> {
  const folders = isKept ? ['postgres', 'temporal', 'minio', 'workers'] : ['']
  for (const folder of folders) await rm(join(data, folder), { recursive: true, force: true })
}
