import { randomUUID, X509Certificate } from 'node:crypto'
import { sql } from 'kysely'
import { withDefaults } from '../../../api/oauth/consent-settings.ts'
import { sampleHappening } from '../../../core/webhooks/envelope.ts'
import { createAuthority, issue } from '../../../runtime/authority.ts'
import { sha256 } from '../../../runtime/sha256.ts'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { insertAgentGrant } from '../../../store/db/agents/insert-agent-grant.ts'
import { createWebhook } from '../../../store/db/webhooks/create-webhook.ts'
import { orderTestDelivery } from '../../../store/db/webhooks/order-delivery.ts'
import { addJob, addNode, addRunningAttempt, addTask } from '../../store/database.ts'
import { signIn } from '../accounts.ts'
import type { Gateway } from '../gateway.ts'
import { addOperator, type callsAs } from './operators.ts'

/** Reason of acts that a case does first. */
export const beforehand = 'to change it back'

/** Subject of each change, by the parameter in its path, and its body beside the reason. */
export type Case = {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: object
  /** Subject of its act; absent: the only parameter in its path. */
  readonly subject?: string
}

/**
 * Returns a case for each changing operation, by its id. A case makes the object of the change, so each call
 * may be followed by one change.
 */
export function changeCases(gateway: Gateway, { post }: Pick<ReturnType<typeof callsAs>, 'post'>) {
  const { db } = gateway
  const authority = createAuthority({ days: 1 })
  const idOf = async (made: Promise<{ readonly accountId: string }>) => (await made).accountId
  const account = async () => ({ account: await idOf(gateway.customer()) })
  const job = async (state?: 'failed') => {
    const id = await addJob(db, await idOf(gateway.customer()), 1)
    if (state) await db.updateTable('jobs').set({ state }).where('id', '=', id).execute()
    return { params: { job: id }, subject: id }
  }
  const node = async (state: 'active' | 'cordoned' | 'quarantined' = 'active') => {
    const id = await addNode(db)
    await db.updateTable('nodes').set({ state }).where('id', '=', id).execute()
    return { body: { nodes: [id] }, subject: id }
  }
  const receiver = async () => {
    const name = `receiver ${randomUUID()}`
    const given = { name, form: 'slack', url: 'https://example.com/secret-hook' }
    await post('/receivers', { ...given, why: beforehand })
    return { params: { receiver: name }, subject: name }
  }
  const onAccount = async (body: object = {}): Promise<Case> => {
    const params = await account()
    return { params, body, subject: params.account }
  }

  const newEmail = () => `${randomUUID()}@example.com`

  async function user(body: object = {}): Promise<Case> {
    const { account: accountId } = await account()
    const { email } = await signIn(gateway, accountId)
    return { params: { email }, body, subject: accountId }
  }

  async function nodesCertificate() {
    const nodeId = randomUUID()
    const { cert } = await issue(await authority, {
      ...{ subject: { role: 'node', nodeId, name: `node-${nodeId}` }, days: 1 },
    })
    return { certificate: cert, nodeId }
  }

  async function schedulersCertificate() {
    const { cert } = await issue(await authority, {
      ...{ subject: { role: 'scheduler', hosts: ['127.0.0.1', 'scheduler.internal'] }, days: 1 },
    })
    return { certificate: cert, fingerprint: sha256(new X509Certificate(cert).raw) }
  }

  async function newWebhook(accountId: string): Promise<string> {
    const id = randomUUID()
    const webhook = { id, accountId, url: 'https://example.com/?key=secret-in-query' }
    const made = { ...webhook, description: '', secret: 'sealed-webhook-secret' }
    await createWebhook(db, { ...made, events: ['render.failed'] }, { limit: 10 })
    return id
  }

  async function newDelivery(accountId: string): Promise<string> {
    const webhookId = await newWebhook(accountId)
    const happening = sampleHappening('render.failed', new Date().toISOString())
    const id = await orderTestDelivery(db, { accountId, webhookId, happening })
    await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null
    where id = ${id}`.execute(db)
    return id ?? ''
  }

  async function connectedAgent(accountId: string): Promise<string> {
    const { userId } = await signIn(gateway, accountId)
    const client = { clientId: 'client', clientName: 'Claude', redirectHost: 'claude.ai' }
    const consent = {
      accountId,
      userId: userId ?? '',
      ...client,
      ...withDefaults({ totalCap: 500 }),
    }
    return (await insertAgentGrant(db, consent)).id
  }

  const cases: Readonly<Record<string, () => Promise<Case>>> = {
    operatorCordonNodes: () => node(),
    operatorUncordonNodes: () => node('cordoned'),
    operatorDrainNodes: () => node(),
    operatorReleaseNodes: () => node('quarantined'),
    async operatorAddReceiver() {
      const name = `receiver ${randomUUID()}`
      return { body: { name, form: 'slack', url: 'https://example.com/hook' }, subject: name }
    },
    operatorRemoveReceiver: () => receiver(),
    operatorTestReceiver: () => receiver(),
    async operatorAddMaintenance() {
      const id = await addNode(db)
      return { body: { node: id, to: '2999-01-01T00:00:00+02:00' }, subject: id }
    },
    async operatorCancelMaintenance() {
      const pool = `maintained ${randomUUID()}`
      const given = { pool, from: '2998-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z' }
      const added = await post('/maintenance', { ...given, why: beforehand })
      return { params: { window: added.json().id }, subject: pool }
    },
    async operatorLimitPool() {
      const pool = `gpu ${randomUUID()}`
      return { body: { pool, slots: 3 }, subject: pool }
    },
    operatorCancelJob: () => job(),
    operatorRetryJob: () => job('failed'),
    operatorPrioritiseJob: async () => ({ ...(await job()), body: { priority: 'high' } }),
    operatorHoldJob: () => job(),
    operatorPauseJob: () => job(),
    async operatorResumeJob() {
      const held = await job()
      await post(`/jobs/${held.subject}/hold`, { why: beforehand })
      return held
    },
    async operatorRetryTask() {
      const accountId = await idOf(gateway.customer())
      const added = await addTask(db, { accountId, jobId: await addJob(db, accountId, 1) })
      const taskId = added.live ? added.taskId : ''
      return { params: { task: taskId }, subject: taskId }
    },
    async operatorEndAttempt() {
      const accountId = await idOf(gateway.customer())
      const taskId = await addRunningAttempt(db, {
        accountId,
        jobId: await addJob(db, accountId, 1),
      })
      return { params: { task: taskId, attempt: '1' }, subject: taskId }
    },
    operatorReadRequest: () => job(),
    operatorReadOutput: () => job(),
    async operatorStopWebhook() {
      const of = await account()
      const params = { ...of, webhook: await newWebhook(of.account) }
      return { params, subject: of.account }
    },
    async operatorRedeliver() {
      const of = await account()
      const params = { ...of, delivery: await newDelivery(of.account) }
      return { params, subject: of.account }
    },
    operatorCreateAccount: async () => ({ body: { name: 'New', plan: 'pro' } }),
    operatorSetPlan: () => onAccount({ plan: 'studio' }),
    operatorSuspendAccount: () => onAccount(),
    async operatorResumeAccount() {
      const { params } = await onAccount()
      await post(`/accounts/${params?.account}/suspend`, { why: beforehand })
      return { ...(params && { params }), subject: params?.account ?? '' }
    },
    operatorCloseAccount: () => onAccount(),
    operatorChangeShare: () => onAccount({ weight: 2, slotsBurst: null, tags: ['a'] }),
    operatorGrantCredits: () => onAccount({ credits: 5, note: 'a gift' }),
    operatorCorrectCredits: () => onAccount({ credits: -5, note: 'a mistake' }),
    operatorSetBudget: () => onAccount({ credits: 100, stops: true }),
    async operatorRemoveBudget() {
      const { params, subject = '' } = await onAccount()
      await post(`/accounts/${subject}/budget`, { credits: 100, why: beforehand })
      return { ...(params && { params }), subject }
    },
    async operatorDisconnectAgent() {
      const of = await account()
      return { params: { ...of, agent: await connectedAgent(of.account) }, subject: of.account }
    },
    operatorCreateKey: () => onAccount({ name: 'ci', scopes: ['render'], creditCap: 9 }),
    async operatorRevokeKey() {
      const of = await account()
      const { id } = await createKey(db, { accountId: of.account, name: 'ci' })
      return { params: { ...of, key: id }, subject: of.account }
    },
    operatorCreateUser: () => onAccount({ email: newEmail(), firstName: 'Ada' }),
    operatorSetUserPassword: () => user({ password: 'a password that is given' }),
    operatorEndUserSessions: () => user(),
    async operatorRecordCertificate() {
      const { certificate, fingerprint } = await schedulersCertificate()
      return { body: { certificate }, subject: fingerprint }
    },
    async operatorAdmitNode() {
      const { certificate, nodeId } = await nodesCertificate()
      return { body: { certificate, tokenHash: 'a'.repeat(64) }, subject: nodeId }
    },
    async operatorRevokeCertificates() {
      const { certificate, nodeId } = await nodesCertificate()
      await post('/certificates/nodes', { certificate, tokenHash: 'b'.repeat(64), why: beforehand })
      return { body: { which: nodeId }, subject: nodeId }
    },
    operatorInviteNodes: async () => ({ body: { pool: 'gpu', uses: 20, seconds: 600 } }),
    async operatorEndInvitation() {
      const made = await post('/invitations', { pool: 'gpu', why: beforehand })
      const { id } = made.json()
      return { params: { invitation: id }, subject: id }
    },
    async operatorCreateOperator() {
      const email = newEmail()
      return { body: { email, role: 'viewer' }, subject: email }
    },
    async operatorResetPassword() {
      const { email } = await addOperator(gateway, 'viewer')
      return { params: { email }, subject: email }
    },
    async operatorDisableOperator() {
      const { email } = await addOperator(gateway, 'viewer')
      return { params: { email }, subject: email }
    },
    async operatorSetRole() {
      const { email } = await addOperator(gateway, 'viewer')
      return { params: { email }, body: { role: 'operator' }, subject: email }
    },
  }
  return { cases, job, receiver, newDelivery, newWebhook }
}

/** Fills the parameters of a path. */
export const fill = (path: string, params: Readonly<Record<string, string>> = {}) =>
  path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? `no ${name}`))
