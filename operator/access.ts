import ipaddr from 'ipaddr.js'
import { type Static, Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { text } from '../core/project/schema/fields.ts'
import { Gate, GateFull } from '../runtime/gate.ts'
import { readTime } from '../runtime/times.ts'
import { type AccessFilter, type AccessView, listAccess } from '../store/db/access/list-access.ts'
import { ReadTooLong, readWithin } from '../store/db/bounded-read.ts'
import type { Db } from '../store/db/database.ts'
import { requireAccount } from './find.ts'
import { read } from './operation.ts'
import { IdOrName, limitOf, Nullable, Time } from './schemas.ts'

const usual = 50
const dayMs = 24 * 3_600_000
/** Visible characters of a key. */
const keyShown = 12
/** A search by a part of a path reads every request of its time. */
const longestMs = 8_000
/** Searches of one process that wait for their turn: the last of them begins after half a minute. */
const mostWaiting = 8
/** Searches of one process that read at once: the others wait, so that requests find a connection. */
const searches = new Gate(2, mostWaiting)
const placeShape = '^\\d{1,15}-\\d{1,15}$'

const Filter = Type.Object({
  request: Type.Optional(
    Type.String({
      pattern: '^[\\w.:+/=-]{1,128}$',
      title: 'the id of a request',
      description: 'X-Request-Id of an answer, requestId of a problem',
    }),
  ),
  account: Type.Optional(IdOrName),
  key: Type.Optional(
    Type.String({
      pattern: '^svc_[0-9a-f]{1,64}$',
      title: 'svc_ and the first hex digits of a key',
      description: 'Only the first 12 characters count; send no whole key',
    }),
  ),
  path: Type.Optional({
    ...text(200, 1),
    description: 'A part of the path, or the id of the job or bulk that the request made',
  }),
  method: Type.Optional(Type.String({ pattern: '^[A-Z]{1,10}$', title: 'a method, such as GET' })),
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](?:\\d\\d|xx)$',
      title: 'a status such as 404, or a hundred of them such as 4xx',
    }),
  ),
  address: Type.Optional(
    Type.String({
      maxLength: 50,
      description: 'Address of the caller, or a range such as 203.0.113.0/24',
    }),
  ),
  since: Type.Optional({
    ...Time,
    description: 'A day before `until`, or before now, if absent and no `request` is given',
  }),
  until: Type.Optional(Time),
  limit: limitOf(1_000, usual),
  before: Type.Optional(
    Type.String({ pattern: placeShape, description: '`next` of the page before' }),
  ),
})

const Access = Type.Object({
  id: Type.Integer(),
  at: Time,
  requestId: Type.String(),
  method: Type.String(),
  path: Type.String({ description: 'Without its query; secrets in it as names of parameters' }),
  status: Type.Integer(),
  ms: Type.Number({ description: 'Milliseconds until the end of the answer' }),
  bytes: Type.Integer({ description: 'Bytes of the answer, with its head' }),
  address: Nullable(Type.String()),
  accountId: Nullable(Type.String({ format: 'uuid' })),
  account: Nullable(Type.String()),
  key: Nullable(Type.String({ description: 'First characters of the key, also of a refused one' })),
  user: Nullable(Type.String({ description: 'Email of the signed-in user' })),
  agent: Nullable(Type.String({ description: 'Name of the connected agent' })),
  operator: Nullable(Type.String({ description: 'Email of the operator' })),
  tool: Nullable(Type.String({ description: 'Tool that the agent called' })),
  made: Nullable(Type.String({ description: 'Job or bulk that it made' })),
  aborted: Type.Boolean({ description: 'The caller hung up before the answer was complete' }),
})

export const listAccessOperation = read({
  ...{ id: 'operatorListAccess', path: '/access', role: 'operator' },
  summary: 'Search the requests that the farm answered, the latest first',
  query: Filter,
  answer: Type.Object({
    requests: Type.Array(Access),
    next: Nullable(Type.String({ description: 'Value of `before` for the next page' })),
  }),
  async run({ db, signal, searchMs = longestMs }, { limit = usual, before, ...asked }) {
    const filter = await filterOf(db, asked)
    const after = before === undefined ? {} : { after: placeOf(before) }
    const search = () =>
      readWithin(db, { ms: searchMs, signal }, (tx) =>
        listAccess(tx, { ...filter, limit, ...after }),
      )
    const requests = await searches.run(search, signal).catch(refuse)
    const last = requests.length === limit ? requests.at(-1) : undefined
    return { requests, next: last ? nameOf(last) : null }
  },
})

/** @throws FarmError for a search that took too long, or that came while too many waited */
function refuse(error: unknown): never {
  if (error instanceof GateFull) {
    const rule = `At most ${mostWaiting} searches may wait for their turn. Got one more`
    const retry = { afterMs: longestMs }
    throw new FarmError('too_many_requests', `${rule}; ask again in ${longestMs / 1000} s`, {
      retry,
    })
  }
  if (!(error instanceof ReadTooLong)) throw error
  const rule = `A search must end within ${longestMs / 1000} s`
  const advice = 'Narrow it by an account, a key, an address or a shorter time'
  throw new FarmError('invalid_value', `${rule}. Got one that reads too much. ${advice}`)
}

type Asked = Omit<Static<typeof Filter>, 'limit' | 'before'>

async function filterOf(db: Db, asked: Asked): Promise<AccessFilter> {
  const { request, account, key, path, method, status, address } = asked
  const until = readTime('until', asked.until)
  const since = sinceOf(asked, until)
  return {
    ...(request !== undefined && { requestId: request }),
    ...(account !== undefined && { accountId: (await requireAccount(db, account)).id }),
    ...(key !== undefined && { key: key.slice(0, keyShown) }),
    ...(path !== undefined && { path }),
    ...(method !== undefined && { method }),
    ...(status !== undefined && { status: statusesOf(status) }),
    ...(address !== undefined && { address: readAddress(address) }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

/** A search without a time would read days. */
function sinceOf({ request, since }: Asked, until: Date | undefined): Date | undefined {
  if (since !== undefined || request !== undefined) return readTime('since', since)
  return new Date((until?.getTime() ?? Date.now()) - dayMs)
}

function statusesOf(text: string): readonly [number, number] {
  const lowest = Number(text.replace('xx', '00'))
  return [lowest, text.endsWith('xx') ? lowest + 99 : lowest]
}

/** @throws FarmError */
function readAddress(text: string): string {
  if (ipaddr.isValid(text)) return ipaddr.process(text).toString()
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text).join('/')
  const rule = 'address must be an IP address, or a range such as 203.0.113.0/24'
  throw new FarmError('invalid_request', `${rule}. Got ${text}`, { field: 'address' })
}

const nameOf = ({ at, id }: AccessView) => `${at.getTime()}-${id}`

function placeOf(name: string): { at: number; id: number } {
  const [at = 0, id = 0] = name.split('-').map(Number)
  return { at, id }
}
