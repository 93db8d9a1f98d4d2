import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Time limit for a first answer: an offline machine should soon turn to the other way. */
const answerMs = 8_000
const wholeMs = 300_000

async function open(url) {
  const answer = AbortSignal.timeout(answerMs)
  const controller = new AbortController()
  const abort = () => controller.abort(answer.reason)
  answer.addEventListener('abort', abort)
  const whole = AbortSignal.timeout(wholeMs)
  const response = await fetch(url, { signal: AbortSignal.any([controller.signal, whole]) })
  answer.removeEventListener('abort', abort)
  if (!response.ok || !response.body) throw new Error(`${url} answers HTTP ${response.status}`)
  return response
}

/**
 * Fetches `url` into `file` and checks it against the list of SHA-256 sums at `sumsUrl`, the line for
 * `name` or, without a name, the first. @throws Error when a site cannot be reached or the sum differs
 */
export async function download({ url, sumsUrl, name, file }) {
  const sums = await (await open(sumsUrl)).text()
  const lines = sums.split('\n').map((line) => line.trim().split(/\s+/))
  const [expected] = lines.find(([, each]) => name === undefined || each === name) ?? []
  const hash = createHash('sha256')
  const measured = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  const response = await open(url)
  await pipeline(Readable.fromWeb(response.body), measured, createWriteStream(file))
  const actual = hash.digest('hex')
  if (actual !== expected) {
    throw new Error(`${url} must have the SHA-256 ${expected}. Got ${actual}`)
  }
}
