import { createHash } from 'node:crypto'
import { isFinal, type JobState } from '../../core/jobs/jobs.ts'
import { decodedDigests } from '../farm/running-farm.ts'
import { type Answer, type ApiClient, askUntil } from './api-client.ts'
import type { Accepted, Account } from './customers.ts'
import type { Project } from './projects.ts'

/** A file for comparison: its bytes, and every decoded frame and sample of it. */
export type Output = { readonly sha256: string; readonly frames: string }

const patienceMs = 240_000

/** Renders each project once without faults, by its name. */
export async function renderCleanly(
  api: ApiClient,
  {
    account,
    projects,
    webhookOf,
  }: {
    account: Account
    projects: readonly Project[]
    webhookOf: (tag: string) => string
  },
): Promise<{ readonly outputs: ReadonlyMap<string, Output>; readonly accepted: Accepted[] }> {
  const accepted: Accepted[] = []
  for (const project of projects) {
    const tag = `clean-${project.name.replaceAll(' ', '-')}`
    const { payload, variables } = project
    const body = { payload, variables, webhookUrl: webhookOf(tag) }
    const answer = await api.ask('POST', '/api/render/api-key', { key: account.key, body })
    if (answer?.status !== 202) throw new Error(`A clean submission: ${JSON.stringify(answer)}`)
    accepted.push({ accountId: account.id, jobId: String(answer.body.jobId), project, tag })
  }
  const outputs = new Map<string, Output>()
  for (const { jobId, project } of accepted) {
    await untilFinal(api, { jobId, key: account.key })
    const file = await fetchOutput(api, { jobId, key: account.key })
    outputs.set(project.name, { sha256: sha256(file), frames: await decodedDigests(file) })
  }
  return { outputs, accepted }
}

async function untilFinal(
  api: ApiClient,
  { jobId, key }: { jobId: string; key: string },
): Promise<void> {
  const look = () => api.ask('GET', `/api/jobs/${jobId}`, { key })
  const isDone = ({ body }: NonNullable<Answer>) => isFinal(body.state as JobState)
  const deadline = Date.now() + patienceMs
  const done = await askUntil(look, isDone, deadline)
  if (done?.body.state !== 'completed') {
    throw new Error(`A clean render must complete. Got ${JSON.stringify(done?.body)}`)
  }
}

async function fetchOutput(
  api: ApiClient,
  { jobId, key }: { jobId: string; key: string },
): Promise<Buffer> {
  const look = () => api.ask('GET', `/api/jobs/${jobId}`, { key })
  const answer = await askUntil(look, ({ status }) => status === 200, Date.now() + patienceMs)
  const reply = await fetch(String(answer?.body.url))
  if (!reply.ok) throw new Error(`The output of ${jobId} answers HTTP ${reply.status}`)
  return Buffer.from(await reply.arrayBuffer())
}

/** Compares the files of jobs with the expected ones; equal bytes need no decoding. */
export async function compareOutputs(
  api: ApiClient,
  {
    jobs,
    clean,
    keyOf,
  }: {
    jobs: readonly Pick<Accepted, 'jobId' | 'accountId' | 'project'>[]
    clean: ReadonlyMap<string, Output>
    keyOf: (accountId: string) => string
  },
): Promise<{ readonly sameBytes: number; readonly sameFrames: number; readonly wrong: string[] }> {
  let sameBytes = 0
  let sameFrames = 0
  const wrong: string[] = []
  for (const { jobId, accountId, project } of jobs) {
    const expected = clean.get(project.name)
    try {
      const file = await fetchOutput(api, { jobId, key: keyOf(accountId) })
      if (sha256(file) === expected?.sha256) sameBytes += 1
      else if ((await decodedDigests(file)) === expected?.frames) sameFrames += 1
      else wrong.push(`${project.name} ${jobId} differs from its clean render`)
    } catch (error) {
      wrong.push(`${project.name} ${jobId}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { sameBytes, sameFrames, wrong }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
