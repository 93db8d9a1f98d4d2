import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import type { OperatorRole } from '../../core/operators/roles.ts'
import { renderPath, requestOf } from '../api/gateway.ts'
import { addOperatorWithPassword, password } from '../api/operator/operators.ts'
import { addNode } from '../store/database.ts'
import { openTab, signIn, sizes } from './open-browser.ts'
import { openSite, type Site } from './site.ts'

/** A gateway with operators' pages, and rows that their pages show. */

export const hostile = '<img src=x onerror=alert(1)>\u202e"\' 🎬'

export async function openFarmSite() {
  return await openSite({ operatorApi: 'on' })
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

/** Submits a film of a new account. */
export async function addFilm(site: Site) {
  const customer = await site.gateway.customer()
  await sql`update accounts set name = ${hostile} where id = ${customer.accountId}`.execute(
    site.gateway.db,
  )
  const reply = await customer.post(renderPath, requestOf())
  return { customer, jobId: String(reply.json().jobId) }
}
