import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { WorkflowHandle } from '@temporalio/client'
import type { Worker } from '@temporalio/worker'

const folder = fileURLToPath(new URL('./histories/', import.meta.url))
const ending = '.json.gz'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type Event = { readonly eventType: string; readonly [attributes: string]: Json }

/** A history as the SDK replays it. */
type SdkHistory = Parameters<typeof Worker.runReplayHistory>[1]

/** `historyToJSON` of the SDK fails where npm has installed protobufjs more than once. */
const { temporal } = createRequire(createRequire(import.meta.url).resolve('@temporalio/worker'))(
  '@temporalio/proto',
) as {
  temporal: {
    api: {
      history: {
        v1: {
          History: {
            toObject(history: SdkHistory, options: Record<string, unknown>): History
            fromObject(history: History): SdkHistory
          }
        }
      }
    }
  }
}
const { History: proto } = temporal.api.history.v1

/** A workflow's history as JSON. */
export type History = { readonly events: readonly Event[] }

export type RecordedHistory = {
  /** Path below `histories/` without its ending: version/kind. */
  readonly name: string
  readonly workflowType: string
  readonly history: History
}

/** Reads every recorded history of every version. */
export async function readHistories(): Promise<readonly RecordedHistory[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(({ name }) => name.endsWith(ending))
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return await Promise.all(paths.map(readHistory))
}

async function readHistory(path: string): Promise<RecordedHistory> {
  const history: History = JSON.parse(String(gunzipSync(await readFile(path))))
  const name = relative(folder, path).slice(0, -ending.length)
  return { name, workflowType: workflowTypeOf(history), history }
}

/** Fetches the history of a run and removes what names the machine. */
export async function fetchHistory(workflow: WorkflowHandle): Promise<History> {
  const history = await workflow.fetchHistory()
  return withoutMachine(proto.toObject(history, { bytes: String, enums: String, longs: String }))
}

export function forReplay(history: History): SdkHistory {
  return proto.fromObject(history)
}

/** Writes a recorded history. @returns its size in bytes */
export async function writeHistory(name: string, history: History): Promise<number> {
  const bytes = gzipSync(JSON.stringify(history), { level: 9 })
  const file = join(folder, `${name}${ending}`)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, bytes)
  return bytes.length
}

export function workflowTypeOf({ events: [started] }: History): string {
  const attributes = started?.workflowExecutionStartedEventAttributes as
    | { workflowType?: { name?: string } }
    | undefined
  return attributes?.workflowType?.name ?? ''
}

/** Every text of a history, those inside of payloads decoded. */
export function textOf(history: History): string {
  return JSON.stringify(mapPayloads(history, (text) => text))
}

const machineKeys = new Set(['identity', 'binaryChecksum', 'stackTrace', 'workerVersion'])
const port = /127\.0\.0\.1:\d+/g

/** Replaces values that depend on the machine and that replay does not read. */
export function withoutMachine(history: History): History {
  const encode = (text: string) => Buffer.from(cleaned(text)).toString('base64')
  return mapPayloads(history, encode, cleaned) as History
}

function cleaned(text: string): string {
  return text.replaceAll(port, 'media.example')
}

function mapPayloads(
  value: Json,
  payload: (text: string) => string,
  other = (text: string) => text,
): Json {
  if (typeof value === 'string') return other(value)
  if (Array.isArray(value)) return value.map((each) => mapPayloads(each, payload, other))
  if (value === null || typeof value !== 'object') return value
  const known = Object.entries(value).filter(([key]) => !machineKeys.has(key))
  const isPayload = 'metadata' in value && typeof (value as { data?: Json }).data === 'string'
  // The name of a sticky queue is made of process id and host.
  const isSticky = (value as { kind?: Json }).kind === 'TASK_QUEUE_KIND_STICKY'
  return Object.fromEntries(
    known.map(([key, each]) => {
      if (isPayload && key === 'data') return [key, payload(decoded(each as string))]
      if (isSticky && key === 'name') return [key, 'sticky']
      return [key, mapPayloads(each, payload, other)]
    }),
  )
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}
