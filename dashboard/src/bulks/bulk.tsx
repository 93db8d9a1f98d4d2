import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import type { BulkPage as BulkState } from '../../../client/farm-client.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Icon } from '../ui/icon.tsx'
import { Card, Page, Shown } from '../ui/parts.tsx'
import { save } from '../ui/save.ts'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { counted, credits } from '../words/format.ts'
import { BulkFailures } from './bulk-failures.tsx'
import { ContactSheet } from './contact-sheet.tsx'
import { CountBar } from './count-bar.tsx'

/** A bulk: its counts, its pictures, what failed and why, its results. */
export function BulkPage() {
  const { id = '' } = useRoute().params as { id?: string }
  const bulk = useLoaded((signal) => farm.getBulk(id, { signal, pageSize: 1 }), [id], {
    isAffected: (event) => event.kind === 'bulk' && event.data.id === id,
  })
  return <Shown of={bulk}>{(shown) => <ShownBulk bulk={shown} reload={bulk.reload} />}</Shown>
}

function ShownBulk({ bulk, reload }: { bulk: BulkState; reload: () => void }) {
  const { route } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const { bulkId } = bulk
  const isRunning = bulk.state === 'running'
  const during = async (doing: () => Promise<unknown>) => {
    setBusy(true)
    await doing()
    setBusy(false)
  }
  const cancel = () =>
    during(async () => {
      await act(() => farm.cancelBulk(bulkId), 'The unfinished jobs are cancelled.')
      reload()
    })
  const saveCsv = () =>
    during(async () => {
      const csv = await act(() => farm.bulkResultsCsv(bulkId), 'The results are saved.')
      if (csv !== undefined) save(csv, { name: `${bulk.name || bulkId}.csv`, type: 'text/csv' })
    })
  const saveJson = () =>
    during(async () => {
      const results = await act(() => farm.bulkResults(bulkId), 'The results are saved.')
      if (!results) return
      const text = `${JSON.stringify({ bulkId, results }, null, 2)}\n`
      save(text, { name: `${bulk.name || bulkId}.json`, type: 'application/json' })
    })
  return (
    <Page
      title={bulk.name || bulkId}
      lead={
        <>
          <State of={bulk.state} /> {counted(bulk.items, 'item')}, <Time at={bulk.ts.created} />,{' '}
          {credits(bulk.creditsCharged)} charged
          {isRunning && bulk.creditsReserved > 0 && `, ${credits(bulk.creditsReserved)} held`}
        </>
      }
      commands={() => [
        { action: 'showBulk', id: bulkId },
        { action: 'saveBulkResults', id: bulkId, query: { format: 'csv' } },
        { action: 'saveBulkJson', id: bulkId },
        ...(bulk.zipUrl ? [{ action: 'downloadBulk', id: bulkId } as const] : []),
        ...(isRunning ? [{ action: 'cancelBulk', id: bulkId } as const] : []),
        ...(bulk.counts.failed > 0 ? [{ action: 'retryBulk', id: bulkId } as const] : []),
      ]}
      actions={
        <>
          {bulk.zipUrl && (
            <a class="button primary" href={bulk.zipUrl} rel="noreferrer">
              <Icon name="download" size={16} /> All files as ZIP
            </a>
          )}
          <button type="button" disabled={isBusy} onClick={saveCsv}>
            <Icon name="download" size={16} /> Results as CSV
          </button>
          <button type="button" disabled={isBusy} onClick={saveJson}>
            <Icon name="download" size={16} /> Results as JSON
          </button>
          <button type="button" onClick={() => route(`/jobs?bulkId=${bulkId}`)}>
            As a list
          </button>
          {isRunning && (
            <button type="button" disabled={isBusy} onClick={cancel}>
              Cancel
            </button>
          )}
        </>
      }
    >
      <CountBar counts={bulk.counts} refused={bulk.errors.length} />
      {bulk.counts.failed > 0 && <BulkFailures bulk={bulk} />}
      {bulk.errors.length > 0 && <Refusals bulk={bulk} />}
      {bulk.total > 0 && <ContactSheet bulkId={bulkId} total={bulk.total} />}
    </Page>
  )
}

function Refusals({ bulk }: { bulk: BulkState }) {
  return (
    <Card title={`${counted(bulk.errors.length, 'item')} refused`}>
      <ul class="reasons">
        {bulk.errors.map(({ index, details }) => (
          <li key={index}>
            <strong>Item {index + 1}</strong>{' '}
            {details.map((detail) => (
              <span key={`${detail.field} ${detail.message}`} dir="auto">
                <code>{detail.field}</code> {detail.message}{' '}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Card>
  )
}
