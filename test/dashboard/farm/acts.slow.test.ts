import test from 'ava'
import type { Browser } from 'playwright-core'
import { listActs } from '../../../store/db/fleet/list-acts.ts'
import { axe, keep, openBrowser, visit } from '../open-browser.ts'
import type { Site } from '../site.ts'
import { addFilm, addNodes, letNodesSpeak, openAs, openFarmSite } from './site.ts'

/** Acts of operators on their pages: receivers, budgets, maintenance windows and operators. */

let site: Site
let browser: Browser
let admin: Awaited<ReturnType<typeof openAs>>

test.before(async () => {
  site = await openFarmSite()
  browser = await openBrowser()
  await addNodes(site)
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
  await admin.page.waitForSelector('dialog', { state: 'detached' })
}

test.serial('a receiver is added, tested and removed with reasons', async (t) => {
  const { page } = admin
  await visit(admin, `${site.origin}/farm/alerts`)
  await page.waitForSelector('text=Nobody hears of alerts')
  await page.click('button[aria-label="Add a receiver"]')
  await page.fill('dialog input[name=name]', 'night shift')
  await page.fill('dialog input[name=secret]', 'https://hooks.example.com/very-secret')
  t.deepEqual(await axe(page), [])
  const command = (await page.textContent('.change-command')) ?? ''
  t.regex(command, /^farm receivers add 'night shift' --form slack < secret\.txt/)
  await keep(page, 'farm-add-receiver')
  await giveReason('somebody must hear')
  await page.waitForSelector('tr:has-text("night shift") >> text=hooks.example.com')
  t.false((await page.content()).includes('very-secret'))
  await page.click('button[aria-label="Test night shift"]')
  await giveReason('is it on')
  await page.waitForSelector('tr:has-text("night shift") >> text=2 to send')
  await page.click('button[aria-label="Remove night shift"]')
  await giveReason('they left')
  await page.waitForSelector('text=Nobody hears of alerts')
  t.deepEqual((await actsOf('night shift')).toSorted(), [
    'receivers add slack: somebody must hear',
    'receivers remove: they left',
    'receivers test: is it on',
  ])
})

test.serial('the secret of a program’s signatures is shown once', async (t) => {
  const { page } = admin
  await visit(admin, `${site.origin}/farm/alerts`)
  await page.click('button[aria-label="Add a receiver"]')
  await page.fill('dialog input[name=name]', 'ours')
  await page.selectOption('dialog select[name=form]', 'json')
  await page.fill('dialog input[name=secret]', 'https://ops.example.com/farm')
  await giveReason('our own board')
  const secret = await page.textContent('[role=status] code:has-text("whsec_")')
  t.regex(secret ?? '', /^whsec_[A-Za-z0-9+/=]{40,}$/)
  await page.reload()
  await page.waitForSelector('tr:has-text("ours")')
  t.false((await page.content()).includes('whsec_'))
})

test.serial('a budget is set, shown with its share, and removed', async (t) => {
  const { page } = admin
  const { accountId } = await addFilm(site)
  await visit(admin, `${site.origin}/farm/accounts/${accountId}`)
  await page.click('button:text-is("Set the budget")')
  await page.fill('dialog input[name=credits]', '1')
  await page.check('dialog input[name=stops]')
  const command = (await page.textContent('.change-command')) ?? ''
  t.true(command.startsWith(`farm budgets set ${accountId} 1 --stop`), command)
  await giveReason('a trial')
  await page.waitForSelector('section:has-text("Budget of a month") >> text=New jobs are refused')
  t.is(await page.locator('meter').count(), 1)
  await keep(page, 'farm-budget')
  await page.click('button:text-is("Remove the budget")')
  await giveReason('they pay now')
  await page.waitForSelector('text=None: it may spend all that it has')
  t.deepEqual((await actsOf(accountId)).slice(0, 2), [
    'budgets remove: they pay now',
    'budgets set 1 --stop: a trial',
  ])
})

test.serial('a window is planned for a pool and cancelled', async (t) => {
  const { page } = admin
  await letNodesSpeak(site)
  await visit(admin, `${site.origin}/farm/maintenance`)
  await page.click('text=Plan a window')
  await page.fill('dialog input[name=of]', 'gpu')
  await page.fill('dialog input[name=from]', '2998-01-01T10:00')
  await page.fill('dialog input[name=to]', '2998-01-01T12:00')
  t.deepEqual(await axe(page), [])
  const command = (await page.textContent('.change-command')) ?? ''
  t.regex(command, /^farm maintenance add --pool gpu --from 2998-01-01T.*Z --to 2998-01-01T.*Z/)
  await giveReason('new power')
  await page.waitForSelector('tr:has-text("pool gpu") >> text=to come')
  await keep(page, 'farm-maintenance')
  await page.click('button[aria-label="Cancel the window of pool gpu"]')
  await giveReason('postponed')
  await page.waitForSelector('tr:has-text("pool gpu") >> text=cancelled')
  t.is((await actsOf('gpu')).length, 2)
})

test.serial('an admin changes the role of an operator and disables them', async (t) => {
  const { page } = admin
  const other = await openAs({ site, browser }, 'viewer')
  await visit(admin, `${site.origin}/farm/operators`)
  await page.click(`button[aria-label="Role of ${other.email}"]`)
  await page.selectOption('dialog select[name=role]', 'operator')
  await giveReason('trained')
  await page.waitForSelector(`tr:has-text("${other.email}") >> text=/^operator$/`)
  t.deepEqual(await axe(page), [])
  await keep(page, 'farm-operators')
  await page.click(`button[aria-label="Disable ${other.email}"]`)
  await giveReason('left')
  await page.waitForSelector(`tr:has-text("${other.email}") >> text=disabled`)
  t.is((await actsOf(other.email)).length, 2)
  t.is(await other.page.locator('nav a:has-text("Operators")').count(), 0)
  await other.context.close()
  t.deepEqual(admin.faults, [])
})
