import { createHmac } from 'node:crypto'
import { noticeBody } from '../../core/alerts/notice.ts'
import { secretPrefix, standardSignedText } from '../../core/webhooks/signature.ts'
import type { Log } from '../../runtime/log.ts'
import { postWebhook } from '../../runtime/outbound/post-webhook.ts'
import type { SealKeys } from '../../runtime/seal.ts'
import { claimNotices, type DueNotice, endNoticeTry } from '../../store/db/alerts/notices.ts'
import { openReceiver } from '../../store/db/alerts/receivers.ts'
import type { Db } from '../../store/db/database.ts'

const atOnce = 20
/** More than the timeout of an attempt. */
const claimSeconds = 60

export type NoticeSending = {
  readonly db: Db
  readonly log: Log
  readonly sealKeys: SealKeys
  readonly trustedHosts: readonly string[]
  /** Public address of the farm, for links. */
  readonly farmUrl: string
}

/** Sends notices that are due. @returns whether there may be more */
export async function sendNotices(sending: NoticeSending): Promise<boolean> {
  const due = await claimNotices(sending.db, { limit: atOnce, claimSeconds })
  await Promise.all(due.map((notice) => send(notice, sending)))
  return due.length === atOnce
}

async function send(notice: DueNotice, sending: NoticeSending): Promise<void> {
  const { db, log } = sending
  const error = await tryToSend(notice, sending)
  const { id, attempts, receiver, alert } = notice
  if (error !== null) log.warn({ receiver, alert, error }, 'a notice was not taken')
  await endNoticeTry(db, { id, attempts, error })
}

/** @returns null when the receiver took it, else why not */
async function tryToSend(
  notice: DueNotice,
  { sealKeys, trustedHosts, farmUrl }: NoticeSending,
): Promise<string | null> {
  const { id: noticeId, receiverId: id, sealed, sealKey, form } = notice
  let secrets: ReturnType<typeof openReceiver>
  try {
    secrets = openReceiver(sealKeys, { id, sealed, sealKey })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const body = JSON.stringify(noticeBody(form, notice, { address: secrets, farmUrl }))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'render-farm-notices/1',
    ...(secrets.secret !== undefined && signed(secrets.secret, noticeId, body)),
  }
  const { error } = await postWebhook({ url: secrets.url, headers, body, trustedHosts })
  return error
}

/** Headers of Standard Webhooks 1.0.0. */
function signed(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000)
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  const text = standardSignedText({ deliveryId: id, timestamp, body })
  const signature = createHmac('sha256', key).update(text).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
