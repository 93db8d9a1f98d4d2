import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Warning } from '../../core/project/lint/warning.ts'
import { Failure, type FaultLine } from '../failure.ts'
import type { RequestFile } from './project-file.ts'

/** How to reach a farm. */
export type Door = { readonly url: string; readonly apiKey: string }

/** What the command line reads of a job. */
export type JobView = {
  readonly id: string
  readonly state: string
  readonly progress: number
  readonly stage: string | null
  readonly frames: { readonly total: number; readonly done: number; readonly reused: number }
  readonly url: string | null
  readonly warnings: readonly Warning[]
  readonly failedReason: string | null
  readonly error: { readonly details: readonly FaultLine[] } | null
  readonly result: {
    readonly duration: number
    readonly size: number
    readonly width: number
    readonly height: number
  } | null
}

const callTimeoutMs = 30_000

type Answer = {
  readonly message?: string
  readonly details?: readonly FaultLine[]
  readonly errors?: readonly ItemError[]
}

class EveryItemRefused extends Failure {
  readonly errors: readonly ItemError[]

  constructor(message: string, errors: readonly ItemError[]) {
    super(message)
    this.errors = errors
  }
}

/** @throws Failure with what the farm says against it */
export async function submit(door: Door, request: RequestFile): Promise<string> {
  const { jobId } = await call<{ jobId: string }>(door, 'POST', '/api/render/api-key', request)
  return jobId
}

export async function readJob(door: Door, id: string): Promise<JobView> {
  return await call<JobView>(door, 'GET', `/api/jobs/${id}`)
}

export async function cancelJob(door: Door, id: string): Promise<void> {
  await call(door, 'POST', `/api/jobs/${id}/cancel`)
}

export type BulkRequest = RequestFile & {
  readonly name?: string
  readonly items: readonly { readonly variables?: unknown; readonly name?: string }[]
}

/** An item that was refused, by its index in the request. */
export type ItemError = { readonly index: number; readonly details: readonly FaultLine[] }

/** `bulkId` is absent when every item was refused. */
export type AcceptedBulk = { readonly bulkId?: string; readonly errors: readonly ItemError[] }

/** What the command line reads of a bulk. */
export type BulkProgress = {
  readonly state: 'running' | 'finished'
  readonly progress: number
  readonly counts: Readonly<Record<string, number>>
}

export type BulkResult = {
  readonly index: number
  readonly jobId: string | null
  readonly state: string
  readonly url: string | null
  readonly format: string | null
  readonly duration: number | null
  readonly size: number | null
  readonly creditsCharged: number
  readonly error: string | null
}

/** @throws Failure with what the farm says against the request as a whole */
export async function submitBulk(door: Door, request: BulkRequest): Promise<AcceptedBulk> {
  try {
    return await call<AcceptedBulk>(door, 'POST', '/api/render/bulk/api-key', request)
  } catch (error) {
    if (error instanceof EveryItemRefused) return { errors: error.errors }
    throw error
  }
}

export async function readBulk(door: Door, id: string): Promise<BulkProgress> {
  return await call<BulkProgress>(door, 'GET', `/api/render/bulk/${id}?pageSize=1`)
}

export async function readBulkResults(door: Door, id: string): Promise<readonly BulkResult[]> {
  const path = `/api/render/bulk/${id}/results`
  const { results } = await call<{ results: readonly BulkResult[] }>(door, 'GET', path)
  return results
}

export async function cancelBulk(door: Door, id: string): Promise<void> {
  await call(door, 'POST', `/api/render/bulk/${id}/cancel`)
}

/** Items that the account's plan takes in one bulk. */
export async function readBulkLimit(door: Door): Promise<number> {
  type Profile = { readonly plan: { readonly limits: { readonly bulkItems: number } } }
  const { plan } = await call<Profile>(door, 'GET', '/api/user/profile')
  return plan.limits.bulkItems
}

async function call<T>(door: Door, method: string, path: string, body?: unknown): Promise<T> {
  let response: Response
  try {
    response = await fetch(door.url.replace(/\/+$/, '') + path, {
      method,
      headers: {
        'x-api-key': door.apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callTimeoutMs),
    })
  } catch (cause) {
    const why = ((cause as Error).cause as Error | undefined)?.message ?? (cause as Error).message
    throw new Failure(`the farm at ${door.url} cannot be reached: ${why}`, { cause })
  }
  const answer = (await response.json().catch(() => ({}))) as T & Answer
  if (response.ok) return answer
  const { message = `the farm answered HTTP ${response.status}`, details = [], errors } = answer
  throw errors ? new EveryItemRefused(message, errors) : new Failure(message, { faults: details })
}

/** Writes what is at `url` to `file`; a half of it never has that name. */
export async function download(url: string, file: string): Promise<void> {
  const unfinished = `${file}.unfinished`
  try {
    const response = await fetch(url)
    if (!response.ok || !response.body) {
      throw new Failure(`the file cannot be fetched: HTTP ${response.status}`)
    }
    await pipeline(Readable.fromWeb(response.body), createWriteStream(unfinished))
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
