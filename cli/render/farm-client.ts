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

type Answer = { readonly message?: string; readonly details?: readonly FaultLine[] }

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
  throw new Failure(answer.message ?? `the farm answered HTTP ${response.status}`, {
    faults: answer.details ?? [],
  })
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
