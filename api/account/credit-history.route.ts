import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { creditKinds } from '../../core/accounts/credits.ts'
import { readTime } from '../../runtime/times.ts'
import { listCreditDays } from '../../store/db/accounts/list-credit-days.ts'
import { allCreditEntries, listCreditEntries } from '../../store/db/accounts/list-credit-entries.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import { daysQuery, readDays } from '../gateway/timeframe.ts'
import { yearPattern } from '../gateway/times.ts'
import type { Server } from '../gateway/typed-server.ts'
import { ledgerAsCsv } from './ledger-csv.ts'

const Time = Type.Optional(
  Type.String({
    format: 'date-time',
    pattern: yearPattern,
    title: 'a time of the years 1 to 9999',
    description: 'RFC 3339 time, like 2030-01-31T00:00:00Z',
  }),
)
const filter = { kind: Type.Optional(Type.Enum([...creditKinds])), from: Time, to: Time }
const Query = Type.Object({ ...filter, ...pageQuery })
const Filter = Type.Object(filter)
const Transactions = Type.Object({
  transactions: Type.Array(
    Type.Object({
      id: Type.Integer(),
      kind: Type.Enum([...creditKinds]),
      jobId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
      bulkId: Type.Union([Type.String(), Type.Null()], {
        description: 'Bulk of a hold that covers all its jobs',
      }),
      balanceChange: Type.Integer(),
      reservedChange: Type.Integer(),
      balance: Type.Integer({ description: 'Credits owned after the entry' }),
      note: Type.String(),
      createdAt: Type.String({ format: 'date-time' }),
    }),
  ),
  ...pageView,
})

const Days = Type.Object(daysQuery)
const usage = {
  jobs: Type.Integer({ description: 'Jobs that ended' }),
  completed: Type.Integer(),
  credits: Type.Integer({ description: 'Credits charged' }),
  seconds: Type.Number({ description: 'Seconds of finished film' }),
}
const Usage = Type.Object({
  ...usage,
  days: Type.Array(
    Type.Object({ date: Type.String({ format: 'date', description: 'Day in UTC' }), ...usage }),
  ),
})

const config = { credentials: ['key', 'session'], scope: 'account' } as const
const tags = ['account']

/**
 * GET /api/credits/transactions: the ledger, newest first; `.csv`: all of it, for spreadsheets. GET
 * /api/credits/usage-stats: use by day.
 */
export function creditHistoryRoutes(server: Server): void {
  const ledger = { querystring: Query, tags, response: { 200: Transactions, 400: Problem } }
  server.get('/api/credits/transactions', { schema: ledger, config }, async (request) => {
    const { kind, ...times } = request.query
    const page = readPage(request.query)
    const [from, to] = [readTime('from', times.from), readTime('to', times.to)]
    const { accountId } = request.account
    const asked = { accountId, ...page, kind, from, to }
    const { entries, total } = await listCreditEntries(request.db, asked)
    const transactions = entries.map(({ createdAt, ...entry }) => ({
      ...entry,
      createdAt: createdAt.toISOString(),
    }))
    return { transactions, ...showPage(page, total) }
  })

  const whole = {
    querystring: Filter,
    tags,
    response: {
      200: {
        description: 'The ledger, an entry a row',
        content: {
          'text/csv': { schema: Type.Unsafe<Readable>({ contentMediaType: 'text/csv' }) },
        },
      },
      400: Problem,
    },
  }
  server.get('/api/credits/transactions.csv', { schema: whole, config }, async (request, reply) => {
    const { kind, ...times } = request.query
    const [from, to] = [readTime('from', times.from), readTime('to', times.to)]
    const { accountId } = request.account
    reply.type('text/csv; charset=utf-8')
    reply.header('content-disposition', 'attachment; filename="transactions.csv"')
    const parts = allCreditEntries(request.db, { accountId, kind, from, to })
    return reply.send(Readable.from(ledgerAsCsv(parts)))
  })

  const byDay = { querystring: Days, tags, response: { 200: Usage, 400: Problem } }
  server.get('/api/credits/usage-stats', { schema: byDay, config }, async (request) => {
    const { accountId } = request.account
    const days = await listCreditDays(request.db, {
      ...{ accountId, days: readDays(request.query) },
    })
    const sum = (of: keyof typeof usage) => days.reduce((total, day) => total + day[of], 0)
    return {
      ...{ jobs: sum('jobs'), completed: sum('completed') },
      ...{ credits: sum('credits'), seconds: sum('seconds') },
      days: days.map((day) => ({ ...day })),
    }
  })
}
