import { randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { severities } from '../core/alerts/findings.ts'
import { noticeForms, pagerDutyUrl } from '../core/alerts/notice.ts'
import { FarmError } from '../core/errors.ts'
import { webhookUrlFault } from '../core/project/media-url.ts'
import { text } from '../core/project/schema/fields.ts'
import { secretPrefix } from '../core/webhooks/signature.ts'
import { listAlerts } from '../store/db/alerts/list-alerts.ts'
import { orderTestNotice } from '../store/db/alerts/notices.ts'
import {
  addReceiver,
  listReceivers,
  type ReceiverSecrets,
  type ReceiverView,
  removeReceiver,
} from '../store/db/alerts/receivers.ts'
import type { Db } from '../store/db/database.ts'
import { act } from './act.ts'
import { change, read } from './operation.ts'
import { IdOrName, limitOf, Name, Nullable, Time } from './schemas.ts'

const most = 1_000
const usual = 50

const Alert = Type.Object({
  id: Type.String({ format: 'uuid' }),
  alert: Type.String({ description: 'Name, as in docs/OPERATIONS.md' }),
  severity: Type.Enum([...severities]),
  words: Type.String(),
  foundAt: Time,
  raisedAt: Time,
  endedAt: Nullable(Time),
})

export const listAlertsOperation = read({
  ...{ id: 'operatorListAlerts', path: '/alerts', role: 'viewer' },
  summary: 'List alerts: those that go on, then ended ones of 30 days',
  query: Type.Object({ limit: limitOf(most, usual) }),
  answer: Type.Object({ alerts: Type.Array(Alert) }),
  run: async ({ db }, { limit = usual }) => ({ alerts: await listAlerts(db, { limit }) }),
})

const Receiver = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  form: Type.Enum([...noticeForms]),
  host: Type.String({ description: 'Host of its address; the rest is secret' }),
  onlyPages: Type.Boolean({ description: 'It hears only of alerts that wake somebody' }),
  madeBy: Type.String(),
  createdAt: Time,
  waiting: Type.Integer({ description: 'Notices that wait to be sent' }),
  lastSentAt: Nullable(Time),
  lastError: Nullable(Type.String({ description: 'Fault of the last try; null: it was taken' })),
})
const Added = Type.Object({
  ...Receiver.properties,
  secret: Nullable(
    Type.String({ description: 'Signs notices in the form json; shown only in this answer' }),
  ),
})

export const listReceiversOperation = read({
  ...{ id: 'operatorListReceivers', path: '/receivers', role: 'viewer' },
  summary: 'List receivers of alerts, with the outcome of their last notice',
  answer: Type.Object({ receivers: Type.Array(Receiver) }),
  run: async ({ db }) => ({ receivers: await listReceivers(db) }),
})

const NewReceiver = Type.Object({
  name: Name,
  form: Type.Enum([...noticeForms]),
  url: Type.Optional({
    ...text(2_000, 1),
    description: `https address; for pagerduty ${pagerDutyUrl} if absent`,
  }),
  key: Type.Optional({ ...text(200, 1), description: 'Routing key, for pagerduty only' }),
  onlyPages: Type.Optional(Type.Boolean()),
})

export const addReceiverOperation = change({
  ...{ id: 'operatorAddReceiver', path: '/receivers', role: 'admin' },
  summary: 'Send alerts to Slack, PagerDuty or a program, from the next one on',
  ...{ body: NewReceiver, answer: Added },
  async run({ db, sealKeys, trustedHosts }, { why, onlyPages = false, ...given }, actor) {
    const { name, form } = given
    const secrets = secretsOf(given, trustedHosts())
    const receiver = { name, form, secrets, onlyPages, madeBy: actor, sealKeys: sealKeys() }
    const what = `receivers add ${form}`
    await act(db, { what, subject: name, why, actor }, async (tx) => {
      if ((await addReceiver(tx, receiver)) !== undefined) return
      const message = `name must be new. Got ${name}, which a receiver already has`
      throw new FarmError('conflict', message, { field: 'name' })
    })
    return { ...(await requireReceiver(db, name)), secret: secrets.secret ?? null }
  },
})

const params = Type.Object({ receiver: IdOrName })

export const removeReceiverOperation = change({
  ...{ id: 'operatorRemoveReceiver', path: '/receivers/:receiver/remove', role: 'admin' },
  summary: 'Send a receiver nothing more, and forget its address',
  ...{ params, answer: Receiver },
  async run({ db }, { receiver, why }, actor) {
    const found = await requireReceiver(db, receiver)
    const done = { what: 'receivers remove', subject: found.name, why, actor }
    await act(db, done, async (tx) => {
      if (!(await removeReceiver(tx, found.id))) throw noReceiver(receiver)
    })
    return found
  },
})

export const testReceiverOperation = change({
  ...{ id: 'operatorTestReceiver', path: '/receivers/:receiver/test', role: 'operator' },
  summary: 'Send a receiver an alert that begins and ends at once',
  ...{ params, answer: Receiver },
  async run({ db }, { receiver, why }, actor) {
    const { id: receiverId, name } = await requireReceiver(db, receiver)
    const words = `A test by ${actor}: ${why}`
    await act(db, { what: 'receivers test', subject: name, why, actor }, (tx) =>
      orderTestNotice(tx, { receiverId, words }),
    )
    return await requireReceiver(db, receiverId)
  },
})

/** @throws FarmError where form, address and key do not go together */
function secretsOf(
  { form, url, key }: Static<typeof NewReceiver>,
  trustedHosts: readonly string[],
): ReceiverSecrets {
  const isPagerDuty = form === 'pagerduty'
  if (isPagerDuty !== (key !== undefined)) {
    const rule = isPagerDuty
      ? 'key must be the routing key of a PagerDuty service'
      : `key must be absent for the form ${form}`
    throw new FarmError('invalid_value', `${rule}. Got ${key === undefined ? 'none' : 'one'}`, {
      field: 'key',
    })
  }
  const address = url ?? (isPagerDuty ? pagerDutyUrl : '')
  const fault = webhookUrlFault(address, { trustedHosts })
  if (fault !== undefined) throw new FarmError('invalid_value', `url ${fault}`, { field: 'url' })
  return {
    url: address,
    ...(key !== undefined && { key }),
    ...(form === 'json' && { secret: secretPrefix + randomBytes(32).toString('base64') }),
  }
}

/** @throws FarmError when there is no such receiver */
async function requireReceiver(db: Db, only: string): Promise<ReceiverView> {
  const [found] = await listReceivers(db, { only })
  if (found) return found
  throw noReceiver(only)
}

function noReceiver(name: string): FarmError {
  const rule = 'RECEIVER must be the id or the name of a receiver of alerts'
  return new FarmError('not_found', `${rule}. Got ${name}, which does not exist`)
}
