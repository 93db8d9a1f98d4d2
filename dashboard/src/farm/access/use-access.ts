import { useEffect, useRef, useState } from 'preact/hooks'
import { read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import type { AccessFilter } from './access-query.ts'

export type Access = Reply<'GET /api/operator/access'>['requests'][number]

const pageSize = 100

/**
 * Reads requests page by page, each after the last of the page before. Nothing is read again by itself: each
 * reading is a request, too.
 */
export function useAccess(filter: AccessFilter, key: string) {
  const [requests, setRequests] = useState<readonly Access[]>([])
  const [next, setNext] = useState<string | null>()
  const [error, setError] = useState<Error>()
  const [turn, setTurn] = useState(0)
  const list = useRef({ isReading: false })

  const readPage = async (before: readonly Access[], place: string | undefined) => {
    const asked = list.current
    if (asked.isReading) return
    asked.isReading = true
    try {
      const query = { ...filter, limit: pageSize, ...(place !== undefined && { before: place }) }
      const page = await read('GET /api/operator/access', { query })
      if (asked !== list.current) return
      setRequests([...before, ...page.requests])
      setNext(page.next)
      setError(undefined)
    } catch (fault) {
      if (asked === list.current) setError(fault as Error)
    } finally {
      asked.isReading = false
    }
  }

  useEffect(() => {
    list.current = { isReading: false }
    setRequests([])
    setNext(undefined)
    setError(undefined)
    void readPage([], undefined)
  }, [key, turn])

  return {
    requests,
    error,
    isRead: next !== undefined,
    isWhole: next === null,
    show: (last: number) => {
      if (last >= requests.length - 1 && typeof next === 'string') void readPage(requests, next)
    },
    reload: () => setTurn((before) => before + 1),
  }
}
