import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import type { FarmJobFilter } from './job-query.ts'

export type FarmJob = Reply<'GET /api/operator/jobs'>['jobs'][number]
type Query = NonNullable<Parameters<typeof read<'GET /api/operator/jobs'>>[1]['query']>

const pageSize = 100
const refreshMs = 5_000
/** New jobs are counted up to here. */
const newMost = 100

/**
 * Reads the jobs page by page, each after the last job of the page before, so that the last of a million
 * costs as much as the first. The list ends at the moment of its first read, so that new jobs move no row;
 * they are counted. What is in view is read again while the page is visible.
 */
export function useFarmJobs(filter: FarmJobFilter, key: string) {
  const [pages, setPages] = useState<readonly (readonly FarmJob[])[]>([])
  const [isWhole, setWhole] = useState(false)
  const [error, setError] = useState<Error>()
  const [newJobs, setNewJobs] = useState(0)
  const [turn, setTurn] = useState(0)
  const list = useRef({ until: '', pages, isReading: false, first: 0, last: 0 })

  const ask = useCallback(
    async (given: Query) =>
      await read('GET /api/operator/jobs', { query: { ...(filter as Query), ...given } }),
    [key],
  )

  /** Reads a page, which is as far as the pages before it have got. */
  const readPage = useCallback(
    async (at: number) => {
      const asked = list.current
      if (asked.isReading || at > asked.pages.length) return
      asked.isReading = true
      try {
        const after = asked.pages[at - 1]?.at(-1)?.id
        const to = filter.to ?? asked.until
        const given = { to, limit: pageSize, ...(after !== undefined && { after }) }
        const { jobs, next } = await ask(given)
        if (asked !== list.current) return
        asked.pages = [...asked.pages.slice(0, at), jobs, ...asked.pages.slice(at + 1)]
        if (at === asked.pages.length - 1) setWhole(next === null)
        setPages(asked.pages)
        setError(undefined)
      } catch (fault) {
        if (asked === list.current) setError(fault as Error)
      } finally {
        asked.isReading = false
      }
    },
    [key, ask],
  )

  useEffect(() => {
    list.current = {
      ...{ until: new Date().toISOString(), pages: [], isReading: false, first: 0, last: 0 },
    }
    setWhole(false)
    setNewJobs(0)
    void readPage(0)
    const refresh = async () => {
      const { first, last, until } = list.current
      if (document.hidden) return
      for (let at = pageAt(first); at <= pageAt(last); at += 1) await readPage(at)
      if (filter.to !== undefined) return
      const found = await ask({ from: until, limit: newMost }).catch(() => undefined)
      if (found && until === list.current.until) setNewJobs(found.jobs.length)
    }
    const timer = setInterval(refresh, refreshMs)
    return () => clearInterval(timer)
  }, [key, turn])

  const jobs = pages.flat()
  return {
    jobs,
    isWhole,
    isRead: pages.length > 0,
    error,
    newJobs: newJobs === newMost ? `${newMost} or more` : newJobs === 0 ? '' : `${newJobs}`,
    show: (first: number, last: number) => {
      Object.assign(list.current, { first, last: Math.min(last, jobs.length - 1) })
      if (last >= jobs.length - 1 && !isWhole) void readPage(list.current.pages.length)
    },
    reload: () => setTurn((before) => before + 1),
  }
}

const pageAt = (index: number) => Math.floor(Math.max(0, index) / pageSize)
