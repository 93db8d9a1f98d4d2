import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { createAuthority, issue } from '../../../runtime/authority.ts'
import { sha256 } from '../../../runtime/sha256.ts'
import { hashKey } from '../../../store/db/accounts/create-key.ts'
import { findKey } from '../../../store/db/accounts/find-key.ts'
import { listActs } from '../../../store/db/fleet/list-acts.ts'
import { addOperator, callsAs } from '../../api/operator/operators.ts'
import { axe, keep, openBrowser, visit } from '../open-browser.ts'
import type { Site } from '../site.ts'
import { addFilm, openAs, openFarmSite } from './site.ts'

/** Keys, users, operators and certificates on the operators' pages: each secret is shown once. */

let site: Site
let browser: Browser
let admin: Awaited<ReturnType<typeof openAs>>

test.before(async () => {
  site = await openFarmSite()
  browser = await openBrowser()
  admin = await openAs({ site, browser }, 'admin')
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

const actsOf = async (subject: string) =>
  (await listActs(site.gateway.db, { limit: 9, subject })).map(({ act, why }) => `${act}: ${why}`)

async function giveReason(why: string): Promise<void> {
  await admin.page.fill('dialog input[name=why]', why)
  await admin.page.click('dialog button[type=submit]')
  await admin.page.waitForSelector('dialog input[name=why]', { state: 'detached' })
}

/** Reads the secret that a dialog shows, and closes it. */
async function takeSecret(): Promise<string> {
  const secret = (await admin.page.textContent('dialog .secret code')) ?? ''
  await admin.page.keyboard.press('Escape')
  await admin.page.click('text=I have kept it')
  await admin.page.waitForSelector('dialog', { state: 'detached' })
  return secret
}

test.serial('a key is made with limits, shown once, and kept nowhere', async (t) => {
  const { page } = admin
  const { accountId } = await addFilm(site)
  await visit(admin, `${site.origin}/farm/accounts/${accountId}`)
  await page.click('button:text-is("New key")')
  await page.fill('dialog input[name=name]', 'ci of theirs')
  await page.uncheck('dialog input[name=webhooks]')
  await page.uncheck('dialog input[name=keys]')
  await page.fill('dialog input[name=cap]', '9')
  t.deepEqual(await axe(page), [])
  const command = (await page.textContent('.change-command')) ?? ''
  t.true(command.includes(`keys create ${accountId} 'ci of theirs' --scopes render,jobs,`), command)
  await giveReason('they lost theirs')
  await page.waitForSelector('dialog .secret')
  t.deepEqual(await axe(page), [])
  const key = await takeSecret()
  const found = await findKey(site.gateway.db, hashKey(key))
  t.like(found, { accountId, creditCap: 9 })
  t.deepEqual(found?.scopes, ['render', 'jobs', 'account', 'templates'])
  t.false((await page.content()).includes(key))
  t.false(
    JSON.stringify(await page.evaluate('({ ...localStorage, ...sessionStorage })')).includes(key),
  )
  t.deepEqual((await actsOf(accountId)).slice(0, 1), ['keys create ci of theirs: they lost theirs'])
})

test.serial('a user is made, gets a new password, and is signed out', async (t) => {
  const { page } = admin
  const { accountId } = await addFilm(site)
  const email = `${randomUUID()}@example.com`
  await visit(admin, `${site.origin}/farm/accounts/${accountId}`)
  await page.click('button:text-is("New user")')
  await page.fill('dialog input[name=email]', email)
  await giveReason('their first person')
  const first = await takeSecret()
  await page.click(`button[aria-label="New password of ${email}"]`)
  await giveReason('forgotten')
  const next = await takeSecret()
  t.not(next, first)
  const reply = await site.gateway.server.inject({
    ...{ method: 'POST', url: '/api/auth/sign-in', payload: { email, password: next } },
  })
  t.is(reply.statusCode, 200)
  await page.waitForSelector(`li:has-text("${email}") >> text=1 open session`)
  t.deepEqual(await axe(page), [])
  await keep(page, 'farm-users')
  await page.click(`button[aria-label="Sign out ${email}"]`)
  await giveReason('a lost laptop')
  await page.waitForSelector(`li:has-text("${email}") >> text=0 open sessions`)
  t.deepEqual((await actsOf(accountId)).slice(0, 3), [
    `users end-sessions ${email}: a lost laptop`,
    `users set-password ${email}: forgotten`,
    `users create ${email}: their first person`,
  ])
})

test.serial('an operator is made on the page, and signs in', async (t) => {
  const { page } = admin
  const email = `${randomUUID()}@example.com`
  const signsIn = async (password: string) =>
    (
      await site.gateway.server.inject({
        ...{ method: 'POST', url: '/api/operator/auth/sign-in', payload: { email, password } },
      })
    ).statusCode
  await visit(admin, `${site.origin}/farm/operators`)
  await page.click('button:text-is("New operator")')
  await page.fill('dialog input[name=email]', email)
  await page.selectOption('dialog select[name=role]', 'operator')
  t.deepEqual(await axe(page), [])
  await giveReason('the night shift')
  const first = await takeSecret()
  t.is(await signsIn(first), 200)
  await page.click(`button[aria-label="New password of ${email}"]`)
  await giveReason('it was said aloud')
  const next = await takeSecret()
  t.is(await signsIn(first), 401)
  t.is(await signsIn(next), 200)
  t.deepEqual(await actsOf(email), [
    'operators reset-password: it was said aloud',
    'operators create --role operator: the night shift',
  ])
})

test.serial('a certificate is revoked with a reason', async (t) => {
  const { page } = admin
  const nodeId = randomUUID()
  const subject = { role: 'node', nodeId, name: 'blue-1' } as const
  const { cert: certificate } = await issue(await createAuthority({ days: 1 }), {
    subject,
    days: 1,
  })
  const { post } = callsAs(site.gateway, (await addOperator(site.gateway, 'admin')).headers)
  await post('/certificates/nodes', { certificate, tokenHash: sha256('x'), why: 'a new machine' })
  await visit(admin, `${site.origin}/farm/certificates`)
  await page.click('tr:has-text("blue-1") button:text-is("Revoke")')
  await giveReason('it was stolen')
  await page.waitForSelector('tr:has-text("blue-1") >> text=it was stolen')
  t.deepEqual(await axe(page), [])
  await keep(page, 'farm-certificates')
  const acts = await actsOf(nodeId)
  t.regex(acts[0] ?? '', /^certs revoke [0-9a-f]{64}: it was stolen$/)
  t.deepEqual(admin.faults, [])
})
