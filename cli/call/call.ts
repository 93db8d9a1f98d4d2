import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createCaller } from '../../client/caller.ts'
import { usage } from '../failure.ts'
import { download, nameOf, saveResponse } from '../render/download.ts'
import { prepareOutput } from '../render/output-path.ts'
import { firstRetries } from '../render/remote-farm.ts'

export type CallOptions = {
  /** JSON, `@FILE` or `@-`. */
  readonly data?: string
  readonly file?: string
  readonly output?: string
  /** Field of the answer with the address of a file. */
  readonly save?: string
}

type Request = { readonly method: string; readonly path: string }

/** Time for one attempt of a request and its answer, which may be a large file. */
const attemptMs = 10 * 60_000
/** A stream of events lasts as long as its job. */
const streamMs = 24 * 60 * 60_000

/** `farm call`. @throws Failure; FarmApiError for a refusal */
export async function call(
  { method, path }: Request,
  { data, file, output, save }: CallOptions,
): Promise<void> {
  const caller = createCaller(farmOf(process.env))
  const isStream = /\/events(\?|$)/.test(path)
  const sent = {
    ...(data !== undefined && { body: await readBody(data) }),
    ...(file !== undefined && { file: await openFile(file) }),
    ...(method === 'POST' && { idempotencyKey: randomUUID() }),
    // A stream that broke would begin anew, behind lines that are printed.
    ...{ retries: isStream ? 0 : firstRetries, attemptMs: isStream ? streamMs : attemptMs },
  }
  const route = `${method} ${path}`
  if (save !== undefined) {
    const answer = await caller.fetch(route, sent, (response) => response.json())
    await saveLinked(answer as Answer, { field: save, output })
  } else if (output !== undefined) {
    const file = prepareOutput(output)
    await caller.fetch(route, sent, (response) => saveResponse(response, file))
  } else if (isStream) {
    await caller.fetch(route, sent, printStream)
  } else {
    // Printed once it is whole: a retry would begin it anew.
    process.stdout.write(await caller.fetch(route, sent, readWhole))
  }
}

type Answer = Readonly<Record<string, unknown>>

/** @throws Failure */
function farmOf(env: NodeJS.ProcessEnv) {
  const { FARM_URL: url, FARM_API_KEY: apiKey, FARM_ACCESS_TOKEN: accessToken } = env
  if (!url) throw usage('FARM_URL must name the farm. Got nothing')
  return accessToken ? { url, accessToken } : { url, apiKey: apiKey || null }
}

/** @throws Failure */
async function readBody(data: string): Promise<unknown> {
  const json = data === '@-' ? await text(process.stdin) : await dataOf(data)
  try {
    return JSON.parse(json)
  } catch (error) {
    throw usage(`--data must be JSON, @FILE or @-: ${(error as Error).message}`)
  }
}

async function dataOf(data: string): Promise<string> {
  if (!data.startsWith('@')) return data
  const file = data.slice(1)
  return await readFile(file, 'utf8').catch((error: Error) => {
    throw usage(`${file} must be a file that can be read: ${error.message}`)
  })
}

async function openFile(file: string): Promise<Blob> {
  return await openAsBlob(file).catch((error: Error) => {
    throw usage(`${file} must be a file that can be read: ${error.message}`)
  })
}

/** Reads JSON indented, everything else as it comes. */
async function readWhole(response: Response): Promise<string | Buffer> {
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  if (isJson) return `${JSON.stringify(await response.json(), null, 2)}\n`
  return Buffer.from(await response.arrayBuffer())
}

async function printStream({ body }: Response): Promise<void> {
  if (body) await pipeline(Readable.fromWeb(body), stdout())
}

/** Standard output without its end, which it never has. */
function stdout(): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => void process.stdout.write(chunk, (error) => done(error)),
  })
}

/** Saves the file whose address is a field of the answer, under the name that the farm gave it. */
async function saveLinked(
  answer: Answer,
  { field, output }: { field: string; output: string | undefined },
): Promise<void> {
  const url = answer[field]
  if (typeof url !== 'string') {
    const seen = JSON.stringify(url) ?? 'nothing'
    throw usage(`${field} must be an address in the answer. Got ${seen}`)
  }
  const file = await download(url, output === undefined ? nameOf : prepareOutput(output))
  process.stdout.write(`${file}\n`)
}
