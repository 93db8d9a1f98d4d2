import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { BulkPage, BulkRetry } from '../../../client/farm-client.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Card, Shown } from '../ui/parts.tsx'
import { counted } from '../words/format.ts'
import { groupedReasons } from './grouped-reasons.ts'

const failedPage = 100

/**
 * Failed jobs, most frequent reason first. Those of one reason, or all, are rendered again as a new
 * bulk.
 */
export function BulkFailures({ bulk }: { bulk: BulkPage }) {
  const { bulkId, counts } = bulk
  const { route } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const failed = useLoaded(
    (signal) => farm.getBulk(bulkId, { signal, state: 'failed', pageSize: failedPage }),
    [bulkId],
    { versions: [counts.failed] },
  )
  const again = async (only: BulkRetry = {}) => {
    setBusy(true)
    const made = await act(() => farm.retryBulk(bulkId, only), 'They render again, as a new bulk.')
    setBusy(false)
    if (made) route(`/bulks/${made.bulkId}`)
  }
  return (
    <Card
      title={counted(counts.failed, 'failed job')}
      aside={
        <button type="button" disabled={isBusy} onClick={() => again()}>
          Render all failed again
        </button>
      }
    >
      <Shown of={failed}>
        {({ jobs }) => (
          <>
            {jobs.length < counts.failed && (
              <p class="quiet">Reasons of the first {jobs.length} of them:</p>
            )}
            <ul class="reasons">
              {groupedReasons(jobs).map(({ reason, ids }) => (
                <li key={reason}>
                  <strong>{counted(ids.length, 'job')}</strong> <span dir="auto">{reason}</span>{' '}
                  <a href={`/jobs/${ids[0]}`}>the first of them</a>{' '}
                  <button type="button" disabled={isBusy} onClick={() => again({ jobIds: ids })}>
                    Render again
                  </button>{' '}
                  <CommandMenu
                    about={reason}
                    of={() => [{ action: 'retryBulkPart', id: bulkId, body: { jobIds: ids } }]}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </Card>
  )
}
