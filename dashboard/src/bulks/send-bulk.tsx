import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { newKey } from '../../../client/caller.ts'
import { splitItems } from '../../../core/bulks/batches.ts'
import { farm } from '../session/farm.ts'
import { Fault, Progress } from '../ui/parts.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { counted } from '../words/format.ts'
import { itemOf } from './mapping.ts'
import type { Project } from './project-choice.tsx'
import type { JudgedRows } from './use-judged-rows.ts'

/** Items of a table that were sent: `of` names it, so that a changed one is sent whole. */
export type Sent = { of: readonly unknown[]; key: string; bulkIds: string[] }

/**
 * Sends the rows in as few requests as the plan allows. Each request has a key of its own, so that
 * sending again after a lost connection goes on and renders nothing twice. A press while the rows are
 * judged waits, and sends them if they are as many as the button said.
 */
export function SendBulk({
  project,
  judged,
  name,
  itemsMost,
  table,
  sent,
}: {
  project: Project
  judged: JudgedRows | undefined
  /** Parts of the table that are new when it is changed. */
  table: readonly unknown[]
  sent: { current: Sent }
  name: string
  itemsMost: number
}) {
  const { route } = useLocation()
  const [share, setShare] = useState<number>()
  const [fault, setFault] = useState<Error>()
  const [, during] = useBusy()
  /** Rows that the button said when it was pressed, while they are judged. */
  const [awaited, setAwaited] = useState<number>()
  const faulty = new Set(judged?.faults.map(({ field }) => field))
  const good = judged?.rows.filter(({ number }) => !faulty.has(`row ${number}`)) ?? []
  const canSend = judged?.common.length === 0 && !judged.failure && good.length > 0

  const send = async () => {
    const isSame =
      sent.current.of.length > 0 && table.every((part, at) => part === sent.current.of[at])
    if (!isSame) sent.current = { of: table, key: newKey(), bulkIds: [] }
    const { key, bulkIds } = sent.current
    const base = project.templateId
      ? { template: project.templateId }
      : { payload: project.payload }
    const entries = good.map((row) => ({ item: itemOf(row) }))
    const batches = splitItems(entries, { request: base, limit: itemsMost })
    setFault(undefined)
    try {
      for (const [at, batch] of batches.entries()) {
        setShare(at / batches.length)
        if (bulkIds[at]) continue
        const accepted = await farm.submitBulk(
          {
            ...base,
            name: batches.length > 1 ? `${name} ${at + 1} of ${batches.length}` : name,
            items: batch.map(({ item }) => item),
          } as Parameters<typeof farm.submitBulk>[0],
          { idempotencyKey: `${key}-${at}` },
        )
        bulkIds.push(accepted.bulkId)
      }
      route(bulkIds.length === 1 ? `/bulks/${bulkIds[0]}` : '/bulks')
    } catch (error) {
      setFault(error as Error)
    } finally {
      setShare(undefined)
    }
  }
  useEffect(() => {
    if (awaited === undefined || judged?.isWhole === false) return
    setAwaited(undefined)
    if (canSend && good.length === awaited) void during(send)
  }, [judged, awaited])
  return (
    <>
      {fault && <Fault error={fault} onRetry={() => during(send)} />}
      {share !== undefined && <Progress value={share * 100} label="Sent" />}
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={!canSend || share !== undefined}
          aria-disabled={awaited !== undefined}
          onClick={() => setAwaited(good.length)}
        >
          {labelOf(judged, good.length)}
        </button>
      </div>
    </>
  )
}

function labelOf(judged: JudgedRows | undefined, good: number): string {
  if (judged && !judged.isWhole) return 'Checking the rows…'
  if (judged && judged.faults.length > 0 && good > 0) {
    return `Render the ${counted(good, 'faultless row')}`
  }
  return `Render ${counted(good, 'row')}`
}
