import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { type Action, actions } from '../../../dashboard/src/commands/actions.ts'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import {
  axe,
  fits,
  keep,
  openBrowser,
  openTab,
  signIn,
  sizes,
  until,
  visit,
  type Watched,
} from '../open-browser.ts'
import { openSite, type Site } from '../site.ts'

/** The menu of commands on every screen, in a real browser against a real gateway. */

const run = promisify(execFile)
const payload = { width: 320, height: 180, duration: 1, visuals: [{ type: 'TEXT', text: 'Hello' }] }

let site: Site
let browser: Browser
test.before(async () => {
  site = await openSite()
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

type Customer = Awaited<ReturnType<Site['user']>>['customer']

/** Screens with one of everything, and words of acts that their menus must have. */
async function seed({ post }: Customer): Promise<readonly (readonly [string, string, string])[]> {
  const made = async (path: string, body: object) => {
    const reply = await post(path, body)
    if (reply.statusCode >= 300) throw new Error(reply.body)
    return reply.json()
  }
  const template = await made('/api/templates', { name: 'Invitation', payload })
  const { jobId } = await made('/api/render/api-key', { payload })
  const { bulkId } = await made('/api/render/bulk/api-key', { payload, items: [{}, {}] })
  const hook = { url: 'https://example.com/hook', events: ['render.failed'] }
  const webhook = await made('/api/webhooks', hook)
  return [
    ['overview', '/', 'Render the demo film'],
    ['jobs', '/jobs', 'List these jobs'],
    ['job', `/jobs/${jobId}`, 'Cancel it'],
    ['bulks', '/bulks', 'List the bulks'],
    ['bulk', `/bulks/${bulkId}`, 'Cancel it'],
    ['new-bulk', '/bulks/new', 'Render a table'],
    ['editor', '/editor', 'Check it'],
    ['templates', '/templates', 'List the templates'],
    ['template', `/templates/${template.id}`, 'Archive it'],
    ['webhooks', '/webhooks', 'Make a webhook'],
    ['webhook', `/webhooks/${webhook.id}`, 'Make a new secret'],
    ['keys', '/keys', 'Make a key'],
    ['credits', '/credits', 'Save the ledger'],
    ['settings', '/settings', 'Change the password'],
  ]
}

const isOpen = `document.querySelector(':popover-open') !== null`
const fitsItself = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector(':popover-open'))`

async function signedIn() {
  const { customer, signsIn } = await site.user()
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const screens = await seed(customer)
  await signIn(tab, signsIn)
  return { customer, context, tab, screens }
}

/** Opens the menu of the page by the keyboard. */
async function open({ page }: Watched): Promise<void> {
  await page.focus('.page-head .commands-button')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.commands .command')
}

test.serial('every screen has a menu of commands for the keyboard', async (t) => {
  const { context, tab, screens } = await signedIn()
  const { page } = tab
  for (const [name, path, act] of screens) {
    await visit(tab, site.origin + path)
    await open(tab)
    t.true((await page.locator('.commands strong').allTextContents()).includes(act), name)
    await page.keyboard.press('Tab')
    t.regex(String(await page.evaluate('document.activeElement.textContent')), /Copy curl/, name)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(sizes[colorScheme === 'light' ? 'desktop' : 'phone'])
      await keep(page, `commands-${name}-${colorScheme}`)
      t.deepEqual([await axe(page), await fits(page)], [[], true], `${name} ${colorScheme}`)
      t.true(await page.evaluate(fitsItself), `${name} ${colorScheme}`)
    }
    await page.keyboard.press('Escape')
    await until(page, `!(${isOpen})`)
    const focused = await page.evaluate('document.activeElement.className')
    t.is(focused, 'commands-button', name)
    await page.setViewportSize(sizes.desktop)
  }
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('texts of a page do in a shell what buttons do', async (t) => {
  const { customer, context, tab, screens } = await signedIn()
  const { page } = tab
  const path = new Map(screens.map(([name, at]) => [name, at]))
  const { key } = await createKey(site.gateway.db, { accountId: customer.accountId, name: 'shell' })
  const text = async (act: string) =>
    (await page
      .locator('.commands > ul > li', { hasText: act })
      .locator('pre')
      .first()
      .textContent()) ?? ''
  const shell = async (script: string) =>
    (await run('sh', ['-c', script], { env: { ...process.env, FARM_API_KEY: key } })).stdout

  await visit(tab, site.origin + path.get('job'))
  await open(tab)
  t.is(JSON.parse(await shell(await text('Read the job'))).state, 'queued')
  await shell(await text('Cancel it'))
  await page.keyboard.press('Escape')
  await until(
    page,
    `document.querySelector('.page-head .state')?.textContent.trim() === 'cancelled'`,
  )

  await visit(tab, site.origin + path.get('overview'))
  await open(tab)
  const { jobId } = JSON.parse(await shell(await text('Render the demo film')))
  t.is((await customer.get(`/api/jobs/${jobId}`)).json().name, 'launch')

  await visit(tab, site.origin + path.get('editor'))
  await open(tab)
  t.is(JSON.parse(await shell(await text('Check it'))).valid, true)
  await context.close()
})

test.serial('a row has a menu of its own, with its id', async (t) => {
  const { customer, context, tab } = await signedIn()
  const { page } = tab
  const { db } = site.gateway
  const { accountId } = customer
  const { key } = await createKey(db, { accountId, name: 'shell' })
  const doomed = await createKey(db, { accountId, name: 'doomed' })
  const upload = await fetch(`${site.origin}/api/uploads?name=dot.png`, {
    ...{ method: 'POST', headers: { 'x-api-key': key, 'content-type': 'image/png' } },
    body: pixel,
  })
  t.is(upload.status, 201)
  const runs = async (row: string, act: string) => {
    await page.getByRole('button', { name: `Commands: ${row}`, exact: true }).click()
    const text = page.locator(':popover-open > ul > li', { hasText: act }).locator('pre')
    const env = { ...process.env, FARM_API_KEY: key }
    await run('sh', ['-c', (await text.first().textContent()) ?? ''], { env })
    await page.keyboard.press('Escape')
  }
  await visit(tab, `${site.origin}/keys`)
  await runs('doomed', 'Revoke it')
  const headers = { 'x-api-key': doomed.key }
  t.is((await fetch(`${site.origin}/api/jobs`, { headers })).status, 401)

  await visit(tab, `${site.origin}/templates`)
  await runs('Invitation', 'Duplicate it')
  t.is((await customer.get('/api/templates')).json().total, 2)

  await visit(tab, `${site.origin}/editor`)
  await page.click('text=Your uploads')
  await runs('dot.png', 'Delete it')
  t.is((await customer.get('/api/uploads')).json().total, 0)
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('each text sends a credential that its route takes', async (t) => {
  await site.gateway.server.ready()
  const access = new Map(
    site.gateway.server.access.map(({ method, path, credentials }) => [
      `${method} ${path}`,
      credentials,
    ]),
  )
  for (const [name, action] of Object.entries(actions)) {
    const { route, by }: Action = action
    const taken: readonly string[] = access.get(route.replaceAll(/\{(\w+)\}/g, ':$1')) ?? [
      'no such route',
    ]
    if (by === 'none') t.deepEqual([...taken], [], name)
    else t.true(taken.includes(by === 'person' ? 'session' : 'key'), `${name}: ${taken}`)
  }
})
