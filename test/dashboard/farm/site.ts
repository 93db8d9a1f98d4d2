import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import type { OperatorRole } from '../../../core/operators/roles.ts'
import { readSealKeys } from '../../../runtime/seal.ts'
import { orderTestNotice } from '../../../store/db/alerts/notices.ts'
import { addReceiver } from '../../../store/db/alerts/receivers.ts'
import { setBudget } from '../../../store/db/budgets/budgets.ts'
import { addMaintenance } from '../../../store/db/fleet/maintenance-windows.ts'
import { taskLogKey } from '../../../store/objects/keys.ts'
import { film, renderPath, requestOf } from '../../api/gateway.ts'
import { addOperatorWithPassword, password } from '../../api/operator/operators.ts'
import { addLostAttempt, addNode, addTask } from '../../store/database.ts'
import { openTab, signIn, sizes } from '../open-browser.ts'
import { openSite, type Site } from '../site.ts'

/** A gateway with operators' pages, and rows that their pages show. */

export const hostile = '<img src=x onerror=alert(1)>\u2069\u202e"\' 🎬'

export async function openFarmSite() {
  return await openSite({ operatorApi: 'on', accessDays: 14 })
}

/** Opens a tab, signed in as a new operator of the role. */
export async function openAs(
  { site, browser }: { site: Site; browser: Browser },
  role: OperatorRole,
  options: Parameters<Browser['newContext']>[0] = { viewport: sizes.desktop },
) {
  const { email } = await addOperatorWithPassword(site.gateway, role)
  const context = await browser.newContext(options)
  const tab = await openTab(context)
  await signIn(tab, { url: `${site.origin}/farm`, email, password })
  return { ...tab, email, context }
}

/** Adds nodes of every state, in two pools and in none, one with a hostile name. */
export async function addNodes({ gateway: { db } }: Site): Promise<readonly string[]> {
  const states = ['active', 'active', 'cordoned', 'draining', 'quarantined', 'active'] as const
  const names = ['render-1', 'render-2', 'render-3', 'render-4', 'render-5', hostile]
  const ids = []
  for (const [at, state] of states.entries()) {
    const id = await addNode(db)
    const pool = ['gpu', 'gpu', 'cpu', '', 'cpu', 'cpu'][at]
    await sql`update nodes set name = ${names[at]}, state = ${state}, last_seen_at = now(),
        state_reason = ${state === 'active' ? '' : `${hostile} looks at it`},
        offer = offer || ${JSON.stringify({ pool, slots: 4 })}::jsonb where id = ${id}`.execute(db)
    ids.push(id)
  }
  return ids
}

/** Lets all nodes have spoken just now: after half a minute of silence they count as dead. */
export async function letNodesSpeak({ gateway: { db } }: Site): Promise<void> {
  await sql`update nodes set last_seen_at = now()`.execute(db)
}

/** A job of a new account with a lost and a waiting task, a log, a key, a webhook and a limit that is reached. */
export async function addFilm(site: Site) {
  const { db, objects } = site.gateway
  const customer = await site.gateway.customer()
  const { accountId, post } = customer
  await sql`update accounts set name = ${hostile} where id = ${accountId}`.execute(db)
  const reply = await post(renderPath, requestOf({ ...film, name: 'A film' }))
  const jobId = String(reply.json().jobId)
  const taskId = await addLostAttempt(db, { accountId, jobId, name: hostile })
  await addTask(db, { accountId, jobId, requirements: { pool: 'nowhere' } })
  const log = Array.from(
    { length: 2000 },
    (_, at) => `line ${at} \u001b[1;31m${hostile}\u001b[0m`,
  ).join('\n')
  const key = taskLogKey({ accountId, taskId, attempt: 1 })
  await objects.put(key, Buffer.from(log))
  await post('/api/webhooks', {
    ...{ url: 'https://example.com/hook?token=hidden', description: hostile },
    events: ['render.failed'],
  })
  return { ...customer, jobId, taskId }
}

/** Adds an alert that goes on and an ended one, a receiver that fails, a window and a spent budget. */
export async function addAlerts(
  { gateway: { db } }: Site,
  { accountId }: { readonly accountId: string },
): Promise<void> {
  await sql`insert into alerts (alert, place, severity, words, raised_at, ended_at) values
    ('FarmQueueStuck', '', 'page', '5 tasks wait and nothing runs', now(), null),
    ('FarmNodesSilent', 'pool gpu', 'ticket', ${`${hostile} fell silent`}, now(), now())`.execute(
    db,
  )
  const secrets = { url: 'https://hooks.example.com/secret' }
  const sealKeys = readSealKeys({}, 'a secret of the farm that is long')
  const given = { name: hostile, form: 'slack', onlyPages: true, madeBy: 'ada' } as const
  const receiverId = (await addReceiver(db, { ...given, secrets, sealKeys })) ?? ''
  await orderTestNotice(db, { receiverId, words: 'A test' })
  await sql`update notices set attempts = 1, error = 'The receiver answered 500'`.execute(db)
  const [startsAt, endsAt] = [new Date('2998-01-01'), new Date('2999-01-01')]
  const window = { startsAt, endsAt, why: hostile, madeBy: 'ada' }
  await addMaintenance(db, { target: { nodeId: null, pool: 'gpu' }, ...window })
  await setBudget(db, { accountId, credits: 1, stops: false, madeBy: 'ada' })
}
