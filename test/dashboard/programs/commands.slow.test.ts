import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import { type Action, actions } from '../../../dashboard/src/commands/actions.ts'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { axe, fits, keep, sizes, until, visit, type Watched } from '../open-browser.ts'
import { addOneOfEverything, stageOfFile } from '../stage.ts'

/** The menu of commands on every screen, in a real browser against a real gateway. */

const run = promisify(execFile)
const payload = { width: 320, height: 180, duration: 1, visuals: [{ type: 'TEXT', text: 'Hello' }] }

const stage = stageOfFile()

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

/** Words of an act that the menu of each screen must have. */
const acts = {
  overview: 'Render the demo film',
  jobs: 'List these jobs',
  job: 'Cancel it',
  bulks: 'List the bulks',
  bulk: 'Cancel it',
  'new-bulk': 'Render a table',
  editor: 'Check it',
  templates: 'List the templates',
  template: 'Archive it',
  webhooks: 'Make a webhook',
  webhook: 'Make a new secret',
  keys: 'Make a key',
  credits: 'Save the ledger',
  settings: 'Change the password',
} as const

const isOpen = `document.querySelector(':popover-open') !== null`
const fitsItself = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector(':popover-open'))`

/** Opens a tab of a customer who has one of everything. */
async function signedIn() {
  const user = await stage.site.user()
  const found = await addOneOfEverything(user.customer, { payload, items: [{}, {}] })
  const screens = { ...found, 'new-bulk': '/bulks/new', editor: '/editor' }
  return { ...user, ...(await stage.signedIn(user)), screens }
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
  for (const [name, act] of Object.entries(acts)) {
    await visit(tab, stage.site.origin + screens[name as keyof typeof acts])
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
  const { key } = await createKey(stage.site.gateway.db, {
    accountId: customer.accountId,
    name: 'shell',
  })
  const text = async (act: string) =>
    (await page
      .locator('.commands > ul > li', { hasText: act })
      .locator('pre')
      .first()
      .textContent()) ?? ''
  const shell = async (script: string) =>
    (await run('sh', ['-c', script], { env: { ...process.env, FARM_API_KEY: key } })).stdout

  await visit(tab, stage.site.origin + screens.job)
  await open(tab)
  t.is(JSON.parse(await shell(await text('Read the job'))).state, 'queued')
  await shell(await text('Cancel it'))
  await page.keyboard.press('Escape')
  await until(
    page,
    `document.querySelector('.page-head .state')?.textContent.trim() === 'cancelled'`,
  )

  await visit(tab, stage.site.origin + screens.overview)
  await open(tab)
  const { jobId } = JSON.parse(await shell(await text('Render the demo film')))
  t.is((await customer.get(`/api/jobs/${jobId}`)).json().name, 'launch')

  await visit(tab, stage.site.origin + screens.editor)
  await open(tab)
  t.is(JSON.parse(await shell(await text('Check it'))).valid, true)
  await context.close()
})

test.serial('a row has a menu of its own, with its id', async (t) => {
  const { customer, context, tab } = await signedIn()
  const { page } = tab
  const { db } = stage.site.gateway
  const { accountId } = customer
  const { key } = await createKey(db, { accountId, name: 'shell' })
  const doomed = await createKey(db, { accountId, name: 'doomed' })
  const upload = await fetch(`${stage.site.origin}/api/uploads?name=dot.png`, {
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
  await visit(tab, `${stage.site.origin}/keys`)
  await runs('doomed', 'Revoke it')
  const headers = { 'x-api-key': doomed.key }
  t.is((await fetch(`${stage.site.origin}/api/jobs`, { headers })).status, 401)

  await visit(tab, `${stage.site.origin}/templates`)
  await runs('Invitation', 'Duplicate it')
  t.is((await customer.get('/api/templates')).json().total, 2)

  await visit(tab, `${stage.site.origin}/editor`)
  await page.click('text=Your uploads')
  await runs('dot.png', 'Delete it')
  t.is((await customer.get('/api/uploads')).json().total, 0)
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('each text sends a credential that its route takes', async (t) => {
  await stage.site.gateway.server.ready()
  const access = new Map(
    stage.site.gateway.server.access.map(({ method, path, credentials }) => [
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
