import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFinal, type JobState } from '../../core/jobs/jobs.ts'
import { type Answer, type ApiClient, askUntil, mayPass } from './api-client.ts'
import { isCard, type Project } from './projects.ts'
import { createRandom, type Random } from './random.ts'

/** A submission that the farm answered with 202. */
export type Accepted = {
  readonly accountId: string
  readonly jobId: string
  readonly project: Project
  /** Last segment of its webhookUrl, unique among submissions. */
  readonly tag: string
}

/** Acts and observations of the customers. */
export type Diary = {
  readonly accepted: Accepted[]
  /**
   * Submissions that were repeated under one key: by tag, with the number of jobs that each may
   * have.
   */
  readonly repeated: { readonly tag: string; readonly jobs: number }[]
  /** Submissions without an answer that were not repeated. */
  lost: number
  /** Answers that blame a faultless request. */
  readonly wronged: string[]
  cancelled: number
  bulks: number
  readonly open: Set<string>
  readonly final: Map<string, JobState>
}

export type Account = { readonly id: string; readonly key: string }

export type Market = {
  readonly seed: number
  readonly api: ApiClient
  readonly projects: readonly Project[]
  readonly accounts: readonly Account[]
  readonly webhookOf: (tag: string) => string
  /** Seconds for which they submit. */
  readonly seconds: number
  /** Unix ms: a request under a key is not repeated for longer. */
  readonly deadline: number
}

const customers = 3
/** Limit of open jobs: more would only wait in the queue, where no fault can hit them. */
const openAtOnce = 8
const pauseMs = [200, 1_800] as const
const lookMs = 700

/**
 * Runs customers that submit while the market is open, each drawing its acts from the seed. They
 * change accounts from time to time, so that their submissions start with a cold store. Resolves
 * when the last of them has its last answer.
 */
export async function openMarket(market: Market): Promise<Diary> {
  const diary: Diary = {
    ...{ accepted: [], repeated: [], wronged: [], lost: 0, cancelled: 0, bulks: 0 },
    ...{ open: new Set(), final: new Map() },
  }
  const began = Date.now()
  const isOpen = () => Date.now() < began + market.seconds * 1000
  const watching = watchJobs(market, diary, isOpen)
  await Promise.all(
    Array.from({ length: customers }, async (_, i) => {
      const random = createRandom(market.seed * 1_000 + i)
      while (isOpen()) {
        await sleep(random.between(...pauseMs))
        if (diary.open.size >= openAtOnce || !isOpen()) continue
        const share = (Date.now() - began) / (market.seconds * 1000)
        const { accounts } = market
        const account = accounts[Math.floor(share * accounts.length)] ?? accounts[0]
        if (account) await act(market, diary, { account, random })
      }
    }),
  )
  await watching
  return diary
}

type Actor = { readonly account: Account; readonly random: Random }

async function act(market: Market, diary: Diary, actor: Actor): Promise<void> {
  const { account, random } = actor
  const isBulk = random.chance(0.12)
  const accepted = isBulk
    ? await submitBulk(market, diary, actor)
    : await submitOne(market, diary, actor)
  for (const each of accepted) {
    diary.accepted.push(each)
    diary.open.add(each.jobId)
  }
  const [first] = accepted
  if (first === undefined || !random.chance(0.12)) return
  await sleep(random.between(0, 3_000))
  const path = `/api/jobs/${first.jobId}/cancel`
  const cancel = () => market.api.ask('POST', path, { key: account.key })
  const answer = await askUntil(cancel, (each) => !mayPass(each), market.deadline)
  if (answer?.status === 200) diary.cancelled += 1
  else note(diary, path, answer)
}

/**
 * Submits a third under a key and repeats it, a third under an id and looks it up, a third once.
 */
async function submitOne(
  { api, projects, webhookOf, deadline }: Market,
  diary: Diary,
  { account, random }: Actor,
): Promise<Accepted[]> {
  const project = random.pick(projects)
  const tag = randomUUID()
  const way = random.pick(['key', 'id', 'once'] as const)
  const jobId = randomUUID()
  const body = {
    ...{ payload: project.payload, variables: project.variables, webhookUrl: webhookOf(tag) },
    ...(way === 'id' && { jobId }),
  }
  const submit = (idempotencyKey?: string) =>
    api.ask('POST', '/api/render/api-key', {
      ...{ key: account.key, body },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    })
  const accepted = (id: unknown) => [{ accountId: account.id, jobId: String(id), project, tag }]
  if (way === 'key') diary.repeated.push({ tag, jobs: 1 })
  const answer =
    way === 'key'
      ? await askUntil(
          () => submit(tag),
          (each) => !mayPass(each),
          deadline,
        )
      : await submit()
  if (answer?.status === 202) return accepted(answer.body.jobId)
  if (way === 'key' || (answer && !mayPass(answer))) note(diary, 'a submission', answer)
  if (way === 'once') diary.lost += 1
  if (way !== 'id') return []
  const look = () => api.ask('GET', `/api/jobs/${jobId}`, { key: account.key })
  const found = await askUntil(look, ({ status }) => status === 200 || status === 404, deadline)
  return found?.status === 200 ? accepted(jobId) : []
}

async function submitBulk(
  { api, projects, webhookOf, deadline }: Market,
  diary: Diary,
  { account, random }: Actor,
): Promise<Accepted[]> {
  const cards = random.shuffled(projects.filter(isCard))
  const tag = randomUUID()
  const body = {
    ...{ payload: cards[0]?.payload, webhookUrl: webhookOf(tag) },
    items: cards.map(({ variables }) => ({ variables })),
  }
  diary.repeated.push({ tag, jobs: cards.length })
  const submit = () =>
    api.ask('POST', '/api/render/bulk/api-key', { key: account.key, body, idempotencyKey: tag })
  const answer = await askUntil(submit, (each) => !mayPass(each), deadline)
  if (answer?.status !== 202) {
    note(diary, 'a bulk', answer)
    return []
  }
  diary.bulks += 1
  const jobIds = answer.body.jobIds as string[]
  return cards.flatMap((project, i) => {
    const jobId = jobIds[i]
    return jobId === undefined ? [] : [{ accountId: account.id, jobId, project, tag }]
  })
}

function note(diary: Diary, what: string, answer: Answer): void {
  const how = answer ? `${answer.status} ${JSON.stringify(answer.body)}` : 'no answer in time'
  diary.wronged.push(`${what}: ${how}`)
}

/** Follows open jobs while the market is open, so that the queue stays short. */
async function watchJobs(
  { api, accounts }: Market,
  diary: Diary,
  isOpen: () => boolean,
): Promise<void> {
  const keys = new Map(accounts.map(({ id, key }) => [id, key]))
  while (isOpen()) {
    await sleep(lookMs)
    for (const { jobId, accountId } of diary.accepted) {
      if (!diary.open.has(jobId)) continue
      const answer = await api.ask('GET', `/api/jobs/${jobId}`, { key: keys.get(accountId) ?? '' })
      if (answer?.status === 404) note(diary, `GET of the accepted job ${jobId}`, answer)
      const state = answer?.status === 200 ? (answer.body.state as JobState) : undefined
      if (state === undefined || !isFinal(state)) continue
      diary.open.delete(jobId)
      diary.final.set(jobId, state)
    }
  }
}
