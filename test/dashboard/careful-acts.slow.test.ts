import test from 'ava'
import { keep, until, visit } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** Acts that cost something, in a real browser: each is asked for, and done once. */

const stage = stageOfFile()

/** Opens a page of a new user, and keeps what it sends to change something. */
async function opened(script = '') {
  const opened = await stage.newcomer({ script })
  const { tab } = opened
  const sent: string[] = []
  tab.page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'GET' && !pathname.startsWith('/api/auth/')) sent.push(pathname)
  })
  return { ...opened, sent }
}

const payload = {
  ...{ name: 'Card', width: 320, height: 180, duration: 1, variables: { guest: 'Ada', seat: 1 } },
  visuals: [{ type: 'TEXT', text: '{{ guest }}' }],
}

test('a webhook’s secret is renewed once, after a question', async (t) => {
  const { tab, page, customer, sent, faults, close } = await opened()
  const hook = { url: 'https://example.com/hook', events: ['render.failed'] }
  const { id } = (await customer.post('/api/webhooks', hook)).json()
  await visit(tab, `${stage.site.origin}/webhooks/${id}`)
  await page.click('text=New secret')
  await page.waitForSelector('text=The present secret signs for 24 hours more.')
  await keep(page, 'question-new-secret')
  await page.click('text=Keep the old one')
  await page.waitForSelector('dialog', { state: 'detached' })
  t.deepEqual(sent, [])
  await page.click('text=New secret')
  await page.dblclick('dialog button.primary')
  await page.waitForSelector('.secret')
  await page.click('text=I have kept it')
  t.deepEqual(sent, [`/api/webhooks/${id}/rotate-secret`])

  await page.click('.page-head >> text=Delete')
  await page.click('text=Keep it')
  await page.waitForSelector('dialog', { state: 'detached' })
  t.is(sent.length, 1)
  await page.click('.page-head >> text=Delete')
  await page.dblclick('dialog button.danger')
  await page.waitForURL('**/webhooks')
  t.is(sent.length, 2)
  t.deepEqual(faults, [])
  await close()
})

test('an archived template and a disabled webhook are taken back', async (t) => {
  const { tab, page, customer, faults, close } = await opened()
  const { id } = (await customer.post('/api/templates', { name: 'Card', payload })).json()
  const hook = { url: 'https://example.com/hook', events: ['render.failed'] }
  const webhook = (await customer.post('/api/webhooks', hook)).json()
  const isArchived = async () => (await customer.get(`/api/templates/${id}`)).json().archived
  await visit(tab, `${stage.site.origin}/templates`)
  await page.click('button[aria-label="Archive Card"]')
  await page.waitForSelector('text=No templates here')
  t.true(await isArchived())
  await keep(page, 'toast-with-undo')
  await page.click('.toasts >> text=Undo')
  await page.waitForSelector('.row >> text=Card')
  t.false(await isArchived())

  await visit(tab, `${stage.site.origin}/webhooks/${webhook.id}`)
  await page.click('.page-head >> text=Disable')
  await page.waitForSelector('.page-head .state:has-text("disabled")')
  await page.click('.toasts >> text=Undo')
  await page.waitForSelector('.page-head .state:has-text("active")')
  t.is((await customer.get(`/api/webhooks/${webhook.id}`)).json().webhook.status, 'active')
  t.deepEqual(faults, [])
  await close()
})

test('a double click on Duplicate makes one copy', async (t) => {
  const { tab, page, customer, faults, close } = await opened()
  const { id } = (await customer.post('/api/templates', { name: 'Card', payload })).json()
  await visit(tab, `${stage.site.origin}/templates/${id}`)
  await page.dblclick('text=Duplicate')
  await page.waitForURL((url) => url.pathname !== `/templates/${id}`)
  await visit(tab, `${stage.site.origin}/templates`)
  t.is((await customer.get('/api/templates')).json().total, 2)
  t.deepEqual(faults, [])
  await close()
})

test('a key that may use nothing is not made', async (t) => {
  const { tab, page, sent, faults, close } = await opened()
  await visit(tab, `${stage.site.origin}/keys`)
  await page.click('text=New key')
  await page.fill('dialog input[name=name]', 'idle')
  const boxes = page.locator('dialog input[type=checkbox]')
  for (const box of await boxes.all()) await box.uncheck()
  await page.click('dialog button[type=submit]')
  await until(page, `document.querySelector('dialog input:invalid') === document.activeElement`)
  t.deepEqual(sent, [])
  await boxes.last().check()
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('.secret')
  t.deepEqual(sent, ['/api/api-keys'])
  t.deepEqual(faults, [])
  await close()
})

test('without a clipboard, the text to copy is shown selected', async (t) => {
  const { tab, page, customer, faults, close } = await opened(
    'delete Navigator.prototype.clipboard',
  )
  const { id } = (await customer.post('/api/templates', { name: 'Card', payload })).json()
  await visit(tab, `${stage.site.origin}/templates/${id}`)
  await page.click('text=Copy JSON')
  await page.getByLabel('Text to copy').waitFor()
  const chosen = await page.evaluate('String(getSelection())')
  const stored = (await customer.get(`/api/templates/${id}`)).json()
  t.deepEqual(JSON.parse(String(chosen)), stored.payload)
  await keep(page, 'text-to-copy')
  t.deepEqual(faults, [])
  await close()
})

test('without a clipboard, the ids of chosen jobs are shown selected', async (t) => {
  const { tab, page, customer, faults, close } = await opened(
    'delete Navigator.prototype.clipboard',
  )
  const ids: string[] = []
  for (let i = 0; i < 2; i += 1) {
    ids.push((await customer.post('/api/render/api-key', { payload })).json().jobId)
  }
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.check('input[aria-label="Choose all jobs that match"]')
  await page.click('text=Copy ids')
  await page.getByLabel('Text to copy').waitFor()
  const chosen = String(await page.evaluate('String(getSelection())'))
  t.deepEqual(chosen.split('\n').toSorted(), ids.toSorted())
  await keep(page, 'ids-to-copy')
  await page.click('text=Choose none')
  t.is(await page.getByLabel('Text to copy').count(), 0)
  t.deepEqual(faults, [])
  await close()
})

test('changes of a template include the values of its form', async (t) => {
  const { tab, page, customer, faults, close } = await opened()
  const { id } = (await customer.post('/api/templates', { name: 'Card', payload })).json()
  const variables = async (of: string) =>
    (await customer.get(`/api/templates/${of}`)).json().payload.variables
  await visit(tab, `${stage.site.origin}/editor?template=${id}`)
  const changes = page.getByRole('button', { name: 'Save changes' })
  await page.getByLabel('seat').fill('2')
  await changes.click()
  await page.waitForSelector('text=The changes are saved.')
  t.deepEqual(await variables(id), { guest: 'Ada', seat: 2 })
  await page.locator('.cm-line', { hasText: '"seat": 2' }).waitFor()
  t.true(await changes.isDisabled())

  await page.getByLabel('guest').fill('Bob')
  await page.getByRole('button', { name: 'Save as template' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL((url) => url.searchParams.get('template') !== id)
  const copy = new URL(page.url()).searchParams.get('template') ?? ''
  t.deepEqual(await variables(copy), { guest: 'Bob', seat: 2 })
  t.deepEqual(await variables(id), { guest: 'Ada', seat: 2 })
  t.deepEqual(
    faults.filter((fault) => !fault.includes('preview')),
    [],
  )
  await close()
})

test('a project that is not judged yet is not called faultless', async (t) => {
  const { tab, page, close } = await opened()
  const { promise: isSeen, resolve: seen } = Promise.withResolvers<void>()
  await page.context().route('**/judge.worker*', async (route) => {
    await isSeen
    await route.continue()
  })
  await page.goto(`${stage.site.origin}/editor`)
  await page.getByRole('heading', { name: 'Checking…' }).waitFor()
  t.is(await page.getByText('The farm would take this project as it is.').count(), 0)
  seen()
  await page.getByRole('heading', { name: 'No faults' }).waitFor()
  await page.getByText('The farm would take this project as it is.').waitFor()
  t.is(tab.page, page)
  await close()
})
