import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'

const defaultPageSize = 20
const maxPageSize = 100

const page = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }))
const range = { minimum: 1, maximum: maxPageSize }
const limit = Type.Optional(Type.Integer({ ...range, description: 'Same as pageSize' }))

/** Query parameters of every list that is read page by page. */
export const pageQuery = {
  page,
  pageSize: Type.Optional(Type.Integer({ ...range, default: defaultPageSize })),
  limit,
}

/** Query parameters of a list that comes whole when no size is given. */
export const wholeQuery = { page, pageSize: Type.Optional(Type.Integer(range)), limit }

/** Fields of every list that is read page by page, beside its items. */
export const pageView = {
  page: Type.Integer(),
  pageSize: Type.Integer(),
  limit: Type.Integer({ description: 'Same as pageSize' }),
  total: Type.Integer(),
}

export type Page = { readonly page: number; readonly pageSize: number }
type PageQuery = {
  readonly page?: number
  readonly pageSize?: number
  readonly limit?: number
}

/** Reads the page of a query. @throws FarmError when it names two sizes */
export function readPage({ page = 1, pageSize, limit }: PageQuery): Page {
  if (pageSize !== undefined && limit !== undefined && pageSize !== limit) {
    const message = `limit must equal pageSize when both are given. Got ${limit} and ${pageSize}`
    throw new FarmError('invalid_value', message, { field: 'limit' })
  }
  return { page, pageSize: pageSize ?? limit ?? defaultPageSize }
}

/** The page's own fields in a reply. */
export function showPage({ page, pageSize }: Page, total: number) {
  return { page, pageSize, limit: pageSize, total }
}

/**
 * Cuts a page out of a list that is short enough to be read whole; all of it when no size is given.
 */
export function pageOf<T>(items: readonly T[], query: PageQuery) {
  const isWhole = query.pageSize === undefined && query.limit === undefined
  const { page, pageSize } = isWhole
    ? { page: query.page ?? 1, pageSize: Math.max(1, items.length) }
    : readPage(query)
  const first = (page - 1) * pageSize
  return {
    items: items.slice(first, first + pageSize),
    ...showPage({ page, pageSize }, items.length),
  }
}
