import { useEffect, useRef, useState } from 'preact/hooks'
import type { Job } from '../../../client/farm-client.ts'
import { hasEnded } from '../jobs/job-summary.ts'
import { onLive } from '../live/live.ts'
import { farm } from '../session/farm.ts'
import { Picture, Progress } from '../ui/parts.tsx'
import { State } from '../ui/state.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'

const pageSize = 60
const retryMs = 3_000
const rowHeight = 11.875
const cellWidth = 200
const mostColumns = 6

/** Pictures of all jobs of a bulk, in the order of its items; those out of view do not exist. */
export function ContactSheet({ bulkId, total }: { bulkId: string; total: number }) {
  const pages = useRef(new Map<number, readonly Job[]>())
  /** Pages that are in view. */
  const shown = useRef<readonly number[]>([])
  const [, redraw] = useState(0)
  const columns = useColumns()

  const read = async (page: number) => {
    const before = pages.current.get(page) ?? []
    pages.current.set(page, before)
    const found = await farm.getBulk(bulkId, { page, pageSize }).catch(() => undefined)
    if (found) pages.current.set(page, found.jobs)
    else if (before.length === 0) pages.current.delete(page)
    redraw((now) => now + 1)
  }
  const readMissing = () => {
    for (const page of shown.current) if (!pages.current.has(page)) void read(page)
  }
  const readAgain = () => {
    for (const page of pages.current.keys()) {
      if (shown.current.includes(page)) void read(page)
      else pages.current.delete(page)
    }
    readMissing()
  }
  useEffect(() => {
    // A page that could not be read is tried again, while the farm is there.
    const trying = setInterval(readMissing, retryMs)
    return () => clearInterval(trying)
  }, [bulkId])
  useEffect(
    () =>
      onLive(({ kind, data }) => {
        if (kind === 'again') readAgain()
        if (kind !== 'job' || data.bulkId !== bulkId) return
        for (const [page, jobs] of pages.current) {
          const at = jobs.findIndex(({ id }) => id === data.id)
          if (at < 0) continue
          pages.current.set(page, jobs.with(at, { ...jobs[at], ...data } as Job))
          redraw((before) => before + 1)
        }
      }),
    [bulkId],
  )
  const at = (index: number) =>
    pages.current.get(Math.floor(index / pageSize) + 1)?.[index % pageSize]
  return (
    <VirtualList
      label="Jobs of the bulk"
      count={Math.ceil(total / columns)}
      rowHeight={rowHeight}
      head={['Items']}
      kind="sheet"
      onShown={(first, last) => {
        const from = Math.floor((first * columns) / pageSize) + 1
        const to = Math.floor(Math.min(total - 1, (last + 1) * columns) / pageSize) + 1
        shown.current = Array.from({ length: to - from + 1 }, (_, i) => from + i)
        readMissing()
      }}
    >
      {(row) => (
        <td class="sheet-row">
          {Array.from({ length: columns }, (_, i) => row * columns + i)
            .filter((index) => index < total)
            .map((index) => (
              <Cell key={index} index={index} job={at(index)} />
            ))}
        </td>
      )}
    </VirtualList>
  )
}

function Cell({ index, job }: { index: number; job: Job | undefined }) {
  if (!job) return <span class="sheet-cell" />
  return (
    <a class="sheet-cell" href={`/jobs/${job.id}`}>
      <Picture
        src={job.thumbnailUrl ?? job.previewUrl ?? (job.type === 'image' ? job.url : null)}
      />
      <span class="sheet-words">
        <span dir="auto">{job.name || `Item ${index + 1}`}</span>
        {hasEnded(job) ? (
          <State of={job.state} />
        ) : (
          <Progress value={job.progress} label={`Progress of item ${index + 1}`} />
        )}
      </span>
    </a>
  )
}

function useColumns(): number {
  const columnsOf = () =>
    Math.max(1, Math.min(mostColumns, Math.floor((innerWidth - 280) / cellWidth)))
  const [columns, setColumns] = useState(columnsOf())
  useEffect(() => {
    const measure = () => setColumns(columnsOf())
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  return columns
}
