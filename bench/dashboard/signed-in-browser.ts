import type { BrowserContext, Page } from 'playwright-core'
import { hashPassword } from '../../api/account/password.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import { type Customer, type Stage, startStage } from '../api/stage.ts'
import { type Chrome, openChrome } from './chrome.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'

/** A stage with a customer, who is signed in to its first api's dashboard in a browser. */
export type SignedIn = {
  readonly stage: Stage
  readonly customer: Customer
  readonly chrome: Chrome
  readonly context: BrowserContext
  readonly origin: string
  /** Opens a tab at a page of the dashboard. `script`: runs in it before the page's own. */
  open(path: string, script?: string): Promise<Page>
  close(): Promise<void>
}

export async function openSignedIn(): Promise<SignedIn> {
  const stage = await startStage()
  const [customer] = await stage.customers(1)
  if (!customer) throw new Error('the stage must have a customer')
  const origin = stage.addresses[0] ?? ''
  const names = { firstName: 'Ada', lastName: 'Lovelace' }
  const stored = { email, password: await hashPassword(password), ...names }
  await createUser(stage.db, { accountId: customer.accountId, ...stored })
  const chrome = await openChrome()
  const { context } = chrome
  await signIn(context, origin)
  return {
    ...{ stage, customer, chrome, context, origin },
    async open(path, script) {
      const page = await context.newPage()
      if (script !== undefined) await page.addInitScript(script)
      await page.goto(origin + path)
      await page.waitForSelector('.page-head')
      return page
    },
    async close() {
      await chrome.close()
      await stage.stop()
    },
  }
}

/** The tab that signs in closes: it would hold the stream of all others. */
async function signIn(context: BrowserContext, origin: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(origin)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await page.click('button[type=submit]')
  await page.waitForSelector('.page-head')
  await page.close()
}

const film = (name: string) => ({
  ...{ name, width: 320, height: 180, duration: 1 },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
})

async function post({ origin, customer }: SignedIn, path: string, body: unknown) {
  const headers = { 'x-api-key': customer.key, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const reply = await fetch(origin + path, init)
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as Readonly<Record<'jobId' | 'bulkId' | 'id', string>>
}

/** Sends a film, which the stage never renders. Returns its job's id. */
export async function sendFilm(signedIn: SignedIn, name: string): Promise<string> {
  return (await post(signedIn, '/api/render/api-key', { payload: film(name) })).jobId
}

export async function sendTemplate(signedIn: SignedIn, payload: object): Promise<string> {
  return (await post(signedIn, '/api/templates', { name: 'A template', payload })).id
}

export async function sendBulk(signedIn: SignedIn, name: string): Promise<string> {
  const items = Array.from({ length: 50 }, (_, at) => ({ name: `Guest ${at}`, variables: {} }))
  const body = { payload: film(name), items }
  return (await post(signedIn, '/api/render/bulk/api-key', body)).bulkId
}
