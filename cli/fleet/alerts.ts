import type { NoticeForm } from '../../core/alerts/notice.ts'
import {
  addReceiverOperation,
  listAlertsOperation,
  listReceiversOperation,
  removeReceiverOperation,
  testReceiverOperation,
} from '../../operator/alerts.ts'
import type { ReceiverView } from '../../store/db/alerts/receivers.ts'
import { firstLine } from '../accounts/first-line.ts'
import { answerOne, answerRows, operateFarm } from '../accounts/operate.ts'
import { showTable, type TableRow } from '../accounts/table.ts'
import { usage } from '../failure.ts'
import type { ActOptions } from './act.ts'

/** `farm alerts` */
export async function showAlerts({
  json,
  limit,
}: {
  readonly json?: boolean
  readonly limit: number
}): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { alerts } = await farm.run(listAlertsOperation, { limit })
    const rows = alerts.map(({ alert, severity, raisedAt: raised, endedAt: ended, words }) => ({
      ...{ alert, severity, raised, ended, words },
    }))
    return rows.length > 0 || json
      ? answerRows(rows)
      : { json: rows, text: 'No alert goes on, and none has within 30 days.' }
  })
}

/** `farm receivers` */
export async function showReceivers({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { receivers } = await farm.run(listReceiversOperation, {})
    return answerRows(receivers.map(rowOf))
  })
}

/** `farm receivers add NAME`: its secret is the first line of standard input. */
export async function addReceiver({
  name,
  form,
  url,
  onlyPages = false,
  why,
  ...options
}: ActOptions & {
  readonly name: string
  readonly form: NoticeForm
  readonly url?: string
  readonly onlyPages?: boolean
}): Promise<void> {
  if (form !== 'pagerduty' && url !== undefined) {
    throw usage(`--url is for pagerduty; standard input holds the address. Got the form ${form}`)
  }
  const given = await firstLine()
  const address = form === 'pagerduty' ? { key: given, ...(url && { url }) } : { url: given }
  await operateFarm(options, async (farm) => {
    const added = await farm.run(addReceiverOperation, { name, form, onlyPages, why, ...address })
    const table = showTable([rowOf(added)])
    const note = 'This is the only time the secret of its signatures is shown.'
    return {
      json: added,
      text: added.secret === null ? table : `${table}\n\n${added.secret}\n\n${note}`,
    }
  })
}

type OfReceiver = ActOptions & { readonly receiver: string }

/** `farm receivers remove RECEIVER` */
export async function removeReceiver({ receiver, why, ...options }: OfReceiver): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(removeReceiverOperation, { receiver, why }))),
  )
}

/** `farm receivers test RECEIVER` */
export async function testReceiver({ receiver, why, ...options }: OfReceiver): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(testReceiverOperation, { receiver, why }))),
  )
}

function rowOf({ name, form, host, onlyPages, ...receiver }: ReceiverView): TableRow {
  const { waiting, lastSentAt: sent, lastError: error, madeBy: by } = receiver
  return { name, form, host, hears: onlyPages ? 'pages' : 'all', waiting, sent, error, by }
}
