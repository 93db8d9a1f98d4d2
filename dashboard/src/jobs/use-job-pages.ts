import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Job } from '../../../client/farm-client.ts'
import { onLive } from '../live/live.ts'
import { caller } from '../session/farm.ts'
import { askedOf, type JobFilter } from './job-query.ts'

const pageSize = 50

/**
 * Reads the pages that are looked at. The list ends at the moment of its first request, so that new jobs
 * do not move the rows under the pointer; they are counted, and shown when asked for. Changes of known
 * jobs are shown at once. A list that is read again stays until it is there.
 */
export function useJobPages(filter: JobFilter, key: string) {
  const [total, setTotal] = useState<number>()
  const [error, setError] = useState<Error>()
  const [newJobs, setNewJobs] = useState(0)
  const [, redraw] = useState(0)
  const [turn, setTurn] = useState(0)
  const state = useRef(emptyState())
  const inView = useRef({ key, first: 1, last: 1 })

  const read = useCallback(
    async (page: number) => {
      const { pages, createdTo } = state.current
      if (pages.has(page)) return
      const asked = state.current
      pages.set(page, [])
      try {
        const query = { ...askedOf(filter, createdTo), createdTo, page, pageSize }
        const found = await caller.fetch<{ jobs: readonly Job[]; total: number }>(
          'GET /api/jobs',
          { query },
          (response) => response.json(),
        )
        if (asked !== state.current) return
        pages.set(page, found.jobs)
        setTotal(found.total)
        setError(undefined)
        redraw((before) => before + 1)
      } catch (fault) {
        pages.delete(page)
        if (asked === state.current) setError(fault as Error)
      }
    },
    [key, turn],
  )

  useEffect(() => {
    const isSame = inView.current.key === key
    if (!isSame) {
      inView.current = { key, first: 1, last: 1 }
      setTotal(undefined)
    }
    state.current = { ...emptyState(), ...(isSame && { before: state.current.pages }) }
    setNewJobs(0)
    const { first, last } = inView.current
    for (let page = first; page <= last; page += 1) void read(page)
  }, [key, turn])

  useEffect(
    () =>
      onLive((event) => {
        if (event.kind === 'again') return setTurn((before) => before + 1)
        if (event.kind !== 'job') return
        const { pages, createdTo, fresh } = state.current
        const { data } = event
        for (const [page, jobs] of pages) {
          const at = jobs.findIndex(({ id }) => id === data.id)
          if (at < 0) continue
          pages.set(page, jobs.with(at, { ...jobs[at], ...data } as Job))
          return redraw((before) => before + 1)
        }
        if (data.createdAt <= createdTo || fresh.has(data.id)) return
        fresh.add(data.id)
        setNewJobs(fresh.size)
      }),
    [],
  )

  return {
    total,
    error,
    newJobs,
    createdTo: state.current.createdTo,
    at: (index: number): Job | undefined => {
      const { pages, before } = state.current
      const [page, at] = [pageAt(index), index % pageSize]
      return pages.get(page)?.[at] ?? before.get(page)?.[at]
    },
    show: (first: number, last: number) => {
      inView.current = { key, first: pageAt(first), last: pageAt(last) }
      for (let page = pageAt(first); page <= pageAt(last); page += 1) void read(page)
    },
    reload: () => setTurn((before) => before + 1),
  }
}

const pageAt = (index: number) => Math.floor(index / pageSize) + 1

function emptyState() {
  return {
    pages: new Map<number, readonly Job[]>(),
    /** Pages that were shown before the list is read again. */
    before: new Map<number, readonly Job[]>(),
    fresh: new Set<string>(),
    createdTo: new Date().toISOString(),
  }
}
