import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { film, renderPath } from '../api/gateway.ts'
import { keep, openTab, signIn, sizes, until, visit } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** Stories 16 and 17: pages of strangers, and customers who open addresses of others. */

const signedOut = `document.querySelector('input[name=email]') !== null`

const stage = stageOfFile()

/** Serves a page at a port beside the farm's; all hosts of this machine lead to it. */
async function strangerPage() {
  const server = createServer((_, reply) => {
    reply.setHeader('content-type', 'text/html').end('<!doctype html><title>Stranger</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    sibling: `http://127.0.0.1:${port}`,
    otherOrigin: `http://localhost:${port}`,
    close: () => server.close(),
  }
}

/** Sends what a stranger's script can, cookies included; returns what it learns. */
const attempt = (method: string, url: string, type: string) => `(async () => {
  const body = ${method === 'POST'} ? JSON.stringify({ cookie: true }) : undefined
  const headers = ${method === 'POST'} ? { 'content-type': '${type}' } : {}
  const options = { method: '${method}', credentials: 'include', headers, body }
  return await fetch('${url}', options).then(
    async (reply) => reply.status + ' ' + await reply.text(), (error) => 'unread ' + error.message)
})()`

/** Loads the farm in a frame; resolves to whether its page could be seen there. */
const frame = (url: string) => `(async () => {
  const frame = Object.assign(document.createElement('iframe'), { src: '${url}' })
  document.body.append(frame)
  await new Promise((resolve) => frame.addEventListener('load', resolve))
  return frame.contentDocument === null ? 'closed' : frame.contentDocument.body.innerHTML
})()`

for (const where of ['sibling', 'otherOrigin'] as const) {
  test.serial(`a page of a stranger reaches nothing, ${where}`, async (t) => {
    const stranger = await strangerPage()
    t.teardown(() => stranger.close())
    const { customer, signsIn } = await stage.site.user()
    await customer.post(renderPath, { payload: { ...film, name: 'A secret film' } })
    const { context, tab } = await stage.signedIn({ signsIn })
    await visit(tab, `${stage.site.origin}/jobs`)
    const cookiesBefore = await context.cookies()
    t.is(cookiesBefore.length, 1)

    const { page } = await openTab(context)
    const framed: string[] = []
    page.on('console', (message) => framed.push(message.text()))
    await page.goto(stranger[where])
    t.is(await page.evaluate(frame(`${stage.site.origin}/jobs`)), 'closed')
    await until(page, 'true')
    t.true(
      framed.some((text) => /frame-ancestors|X-Frame-Options/i.test(text)),
      framed.join('\n'),
    )
    t.is(page.frames().filter((each) => each.url().startsWith(stage.site.origin)).length, 0)

    const paths = ['/api/jobs', '/api/credits/balance', '/api/auth/profile', '/api/events']
    for (const path of paths) {
      const learned = String(await page.evaluate(attempt('GET', stage.site.origin + path, '')))
      t.regex(learned, /^(401|404|unread)/, path)
      t.notRegex(learned, /secret film/)
    }
    for (const path of ['/api/auth/refresh', '/api/auth/sign-out']) {
      for (const type of ['application/json', 'text/plain']) {
        const learned = String(await page.evaluate(attempt('POST', stage.site.origin + path, type)))
        t.regex(learned, /^(4\d\d|unread)/, `${path} ${type}`)
        t.notRegex(learned, /accessToken/)
      }
    }
    // A form needs no permission to be sent.
    await page.evaluate(`(() => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action: '${stage.site.origin}/api/auth/sign-out' })
      document.body.append(form)
      form.submit()
    })()`)
    await page.waitForURL(`${stage.site.origin}/**`)
    t.deepEqual(await context.cookies(), cookiesBefore)

    // The window that a stranger opens is not in its hands.
    await page.goto(stranger[where])
    const opened = context.waitForEvent('page')
    await page.evaluate(`void (window.farm = open('${stage.site.origin}/jobs'))`)
    const window = await opened
    await window.waitForSelector('text=A secret film')
    t.is(await page.evaluate('window.farm.closed'), true)
    t.is(await window.evaluate('window.opener'), null)
    await keep(window, `story-16-${where}`)

    await tab.page.reload()
    await tab.page.waitForSelector('text=A secret film')
    t.false(await tab.page.evaluate(signedOut))
    await context.close()
  })
}

const mark = 'Zanzibar'

/** An account with one of everything; all its names have the mark. */
async function marked() {
  const { customer, signsIn } = await stage.site.user()
  const payload = { ...film, name: `${mark} film`, variables: { guest: mark } }
  const made = async (path: string, body: object) => {
    const reply = await customer.post(path, body)
    if (reply.statusCode >= 300) throw new Error(reply.body)
    return reply.json()
  }
  const template = await made('/api/templates', { name: mark, payload })
  const job = await made(renderPath, { payload })
  const items = [{ name: `${mark} 1` }, { name: `${mark} 2` }]
  const bulk = await made('/api/render/bulk/api-key', { payload, name: mark, items })
  const hook = { url: `https://example.com/${mark}`, events: ['render.completed'] }
  const webhook = await made('/api/webhooks', hook)
  const ids = [job.jobId, bulk.bulkId, template.id, webhook.id] as string[]
  return {
    ...{ signsIn, ids },
    pages: [
      ...[`/jobs/${job.jobId}`, `/bulks/${bulk.bulkId}`, `/templates/${template.id}`],
      ...[`/webhooks/${webhook.id}`, `/webhooks/${webhook.id}?status=failed`],
      ...[`/jobs?bulkId=${bulk.bulkId}`, `/jobs?templateId=${template.id}`],
      ...[`/editor?job=${job.jobId}`, `/editor?template=${template.id}`],
      `/bulks/new?template=${template.id}`,
    ],
    routes: [
      ...['', '/request', '/timeline', '/deliveries', '/events'].map(
        (part) => `/api/jobs/${job.jobId}${part}`,
      ),
      ...['', '/results'].map((part) => `/api/render/bulk/${bulk.bulkId}${part}`),
      `/api/templates/${template.id}`,
      ...['', '/deliveries'].map((part) => `/api/webhooks/${webhook.id}${part}`),
      `/api/webhooks/deliveries?webhookId=${webhook.id}`,
    ],
  }
}

test.serial('every address of another account shows and sends nothing of it', async (t) => {
  const other = await marked()
  const { signsIn } = await stage.site.user()
  const context = await stage.browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const { page } = tab
  const sent: Promise<string>[] = []
  let token = ''
  page.on('response', (reply) => {
    const isStream = reply.url().endsWith('/api/events')
    const isOurs = reply.url().startsWith(`${stage.site.origin}/api/`)
    if (isOurs && !isStream) sent.push(reply.text().catch(() => ''))
  })
  page.on('request', (request) => {
    token = request.headers().authorization ?? token
  })
  await signIn(tab, signsIn)
  for (const path of other.pages) {
    await page.goto(stage.site.origin + path)
    await page.waitForSelector('.fault, .empty, .page-head')
    await until(page, `document.querySelectorAll('.loading').length === 0`)
    t.false((await page.content()).includes(mark), path)
    t.false((await page.title()).includes(mark), path)
  }
  await keep(page, 'story-17-address-of-another')
  for (const path of other.routes) {
    const reply = await fetch(stage.site.origin + path, { headers: { authorization: token } })
    const text = await reply.text()
    t.false(text.includes(mark), path)
    t.true(reply.status === 404 || /"total":0/.test(text), `${path}: ${reply.status} ${text}`)
  }
  for (const text of await Promise.all(sent)) t.false(text.includes(mark))
  await context.close()
})
