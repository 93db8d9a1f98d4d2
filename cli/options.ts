import { InvalidArgumentError } from 'commander'
import { IsDateTime } from 'typebox/format'
import { parseJson } from '../core/parse-json.ts'

const maxWorkers = 64
const maxCredits = 1_000_000_000_000
const maxLines = 10_000
const maxSlots = 1_000_000
const maxWeight = 1_000
const maxDays = 36_500
const maxFrame = 10_000_000
const maxSeconds = 3_600
const maxUses = 10_000
const longestSeconds = 30 * 86_400
const unitSeconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** @throws InvalidArgumentError, which commander shows with the option's name */
export function readPort(text: string): number {
  return readInteger(text, 0, 65_535)
}

/** Reads a change of credits, up or down. @throws InvalidArgumentError */
export function readCorrection(text: string): number {
  const value = readInteger(text, -maxCredits, maxCredits)
  if (value !== 0) return value
  throw new InvalidArgumentError('It must not be 0.')
}

/** Reads a number of processes. @throws InvalidArgumentError */
export function readCount(text: string): number {
  return readInteger(text, 1, maxWorkers)
}

/** Reads the width of a preview's frames, px. @throws InvalidArgumentError */
export function readFrameWidth(text: string): number {
  return readInteger(text, 64, 480)
}

const maxTimes = 12

/** Reads moments of a film, seconds with commas between them. @throws InvalidArgumentError */
export function readTimes(text: string): readonly number[] {
  const times = text.split(',').map((each) => (each.trim() === '' ? Number.NaN : Number(each)))
  if (times.length <= maxTimes && times.every((time) => time >= 0 && Number.isFinite(time))) {
    return times
  }
  throw new InvalidArgumentError(`It must be at most ${maxTimes} times in seconds, like 0.5,2,7.`)
}

/** @throws InvalidArgumentError */
export function readCredits(text: string): number {
  return readInteger(text, 1, maxCredits)
}

/** @throws InvalidArgumentError */
export function readBulkId(text: string): string {
  if (/^blk_[0-9A-Za-z]{20}$/.test(text)) return text
  throw new InvalidArgumentError('It must be "blk_" and 20 letters or digits.')
}

/** @throws InvalidArgumentError */
export function readLines(text: string): number {
  return readInteger(text, 1, maxLines)
}

/** @throws InvalidArgumentError */
export function readSeconds(text: string): number {
  return readInteger(text, 1, maxSeconds)
}

/** Reads the number of a frame, from 0. @throws InvalidArgumentError */
export function readFrame(text: string): number {
  return readInteger(text, 0, maxFrame)
}

/** Reads slots of the farm, also none. @throws InvalidArgumentError */
function readSlots(text: string): number {
  return readInteger(text, 0, maxSlots)
}

/** Reads slots of a pool, or no limit. @throws InvalidArgumentError */
export function readSlotLimit(text: string): number | 'none' {
  return text === 'none' ? text : readSlots(text)
}

/** Reads slots of an account, or its plan's. @throws InvalidArgumentError */
export function readShareSlots(text: string): number | 'plan' {
  return text === 'plan' ? text : readSlots(text)
}

/** @throws InvalidArgumentError */
export function readWeight(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= maxWeight) return value
  throw new InvalidArgumentError(`It must be above 0 and at most ${maxWeight}. Got ${text}.`)
}

/** Reads a number of uses. @throws InvalidArgumentError */
export function readUses(text: string): number {
  return readInteger(text, 1, maxUses)
}

/** Reads a time like 30m, 1h or 2d, up to 30 days. @returns seconds @throws InvalidArgumentError */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * unitSeconds[(unit ?? 's') as keyof typeof unitSeconds]
  if (seconds >= 1 && seconds <= longestSeconds) return seconds
  throw new InvalidArgumentError(`It must be a time up to 30d, like 30m, 1h or 2d. Got ${text}.`)
}

/** @throws InvalidArgumentError */
export function readDays(text: string): number {
  return readInteger(text, 1, maxDays)
}

/** Reads a path of the HTTP API with its query. @throws InvalidArgumentError */
export function readApiPath(text: string): string {
  if (/^\/[\x21-\x7e]*$/.test(text) && !/[{}#]/.test(text)) return text
  const rule = 'It must be a path such as /api/jobs?state=failed, with other characters as %XX'
  throw new InvalidArgumentError(`${rule}. Got ${JSON.stringify(text.slice(0, 120))}.`)
}

/** Reads a label of the Encoding Standard. @throws InvalidArgumentError */
export function readEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    const examples = 'windows-1252, windows-1250, shift_jis, gb18030'
    throw new InvalidArgumentError(`It must be an encoding, such as ${examples}. Got ${label}.`)
  }
}

/** Reads a name within the API's limits. @throws InvalidArgumentError */
export function readName(text: string): string {
  if (/^\P{Cc}{1,100}$/u.test(text) && text.trim() !== '') return text
  const seen = JSON.stringify(text.slice(0, 120))
  throw new InvalidArgumentError(
    `It must be a name of 1 to 100 characters without control characters. Got ${seen}.`,
  )
}

/** @throws InvalidArgumentError */
export function readWords(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('It must not be empty. Got nothing.')
}

/** Reads names with commas between; none at all is an empty list. */
export function readNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** @throws InvalidArgumentError */
export function readKeyStart(text: string): string {
  const shown = text.slice(0, 12)
  if (/^svc_[0-9a-f]{1,64}$/.test(text)) return shown
  throw new InvalidArgumentError(`It must begin with svc_ and hex digits. Got ${shown}.`)
}

/** Reads a status such as 404, or a hundred of them such as 4xx. @throws InvalidArgumentError */
export function readStatus(text: string): string {
  if (/^[1-5](?:\d\d|xx)$/.test(text)) return text
  throw new InvalidArgumentError(`It must be a status such as 404, or 4xx. Got ${text}.`)
}

/** Reads the id of a request, as answers have it. @throws InvalidArgumentError */
export function readRequestId(text: string): string {
  if (/^[\w.:+/=-]{1,128}$/.test(text)) return text
  throw new InvalidArgumentError(`It must be an X-Request-Id. Got ${text.slice(0, 150)}.`)
}

/** Reads the end of a page of requests. @throws InvalidArgumentError */
export function readAccessPlace(text: string): string {
  if (/^\d{1,15}-\d{1,15}$/.test(text)) return text
  throw new InvalidArgumentError(`It must be what the page before ends with. Got ${text}.`)
}

/** @throws InvalidArgumentError */
export function readUuid(text: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError(`It must be a UUID. Got ${text}.`)
}

/** @throws InvalidArgumentError */
export function readTime(text: string): Date {
  if (IsDateTime(text)) return new Date(text)
  throw new InvalidArgumentError(`It must be a time like 2030-01-31T00:00:00Z. Got ${text}.`)
}

/** @throws InvalidArgumentError */
export function readTimeToCome(text: string): Date {
  const time = new Date(text)
  // Checked by shape as well, because Date takes 31 February for 3 March.
  if (IsDateTime(text) && time.getTime() > Date.now()) return time
  throw new InvalidArgumentError(
    `It must be a time in the future, like 2030-01-31T00:00:00Z. Got ${text}.`,
  )
}

function readInteger(text: string, min: number, max: number): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}. Got ${text}.`)
  }
  return value
}

/**
 * Collects `--var name=value`. The value is JSON when it parses as such, else the text itself.
 * @throws InvalidArgumentError
 */
export function readVariable(
  text: string,
  before: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError(`It must look like name=value. Got ${text}.`)
  return { ...before, [text.slice(0, at)]: jsonOrText(text.slice(at + 1)) }
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(`${error.message}.`)
    return text // plain words need no quotes
  }
}
