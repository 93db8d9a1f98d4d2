import test from 'ava'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { freePort } from '../../../infra/local/ports.ts'
import { compareWithKept, pictureOf } from '../../dashboard/kept-pictures.ts'
import { axe, fits, openBrowser } from '../../dashboard/open-browser.ts'
import { password, signIn } from '../accounts.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { pkce, register } from './agent-host.ts'

/**
 * Pictures of the consent page, compared with those in `kept/`. A change that is meant is kept by
 * `npm run consent:pictures`, and looked at before it is committed.
 */

const kept = new URL('kept/', import.meta.url).pathname

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1024, height: 720 }, colorScheme: 'light' },
  dark: { viewport: { width: 1024, height: 720 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
}

let gateway: Gateway
let browser: Browser
let origin: string
let email: string

test.before(async () => {
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  gateway = await startGateway({ publicUrl: origin, oauth: readOAuthSettings({}, origin) })
  await gateway.server.listen({ port, host: '127.0.0.1' })
  const { accountId } = await gateway.customer(2_500)
  email = (await signIn(gateway, accountId)).email
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await gateway?.stop()
})

const web = 'https://claude.ai/api/mcp/auth_callback'
const local = 'http://127.0.0.1:33418/callback'

async function addressOf(redirectUri: string): Promise<string> {
  const client = await register(gateway.server, {
    ...{ client_name: 'Claude', redirect_uris: [redirectUri] },
  })
  const query = new URLSearchParams({
    ...{ client_id: String(client.json().client_id), redirect_uri: redirectUri, state: 's' },
    ...{ response_type: 'code', code_challenge: pkce().challenge, resource: `${origin}/mcp` },
    code_challenge_method: 'S256',
  })
  return `${origin}/oauth/authorize?${query}`
}

async function open(page: Page, redirectUri: string): Promise<void> {
  await page.goto(await addressOf(redirectUri))
  await page.getByText('asks to use your render farm account').waitFor()
}

async function enter(page: Page, text: string): Promise<void> {
  await page.fill('#email', email)
  await page.fill('#password', text)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Screens of the page, each with the way to it. */
const screens: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async 'sign-in'(page) {
    await open(page, web)
  },
  async 'wrong-password'(page) {
    await open(page, web)
    await enter(page, 'wrong')
    await page.getByRole('alert').getByText('must match a user').waitFor()
  },
  async consent(page) {
    await open(page, web)
    await enter(page, password)
    await page.locator('#consent').waitFor()
  },
  async 'own-computer'(page) {
    await open(page, local)
    await enter(page, password)
    await page.locator('#consent').waitFor()
  },
  async 'ended-sign-in'(page) {
    await page.goto(`${origin}/oauth/consent/none`)
    await page.getByRole('alert').getByText('start again from the app').waitFor()
  },
  async 'unknown-app'(page) {
    await page.goto(`${origin}/oauth/authorize?client_id=unknown&redirect_uri=https://x.example/`)
    await page.getByRole('heading', { name: 'cannot be connected' }).waitFor()
    // The id of the request is another each time.
    await page.evaluate(`document.querySelector('dd code').textContent = 'request-1'`)
  },
}

for (const [look, options] of Object.entries(looks)) {
  test.serial(`the consent page looks as it was kept, ${look}`, async (t) => {
    for (const [name, show] of Object.entries(screens)) {
      const context = await browser.newContext({ ...options, locale: 'en-GB' })
      const page = await context.newPage()
      await show(page)
      t.true(await fits(page), `${name} is wider than the screen`)
      t.deepEqual(await axe(page), [], name)
      // The address below the pointer would look hovered.
      await page.mouse.move(0, 0)
      const picture = await pictureOf(page, { fullPage: true })
      await compareWithKept(t, picture, { kept, name: `${look}-${name}` })
      await context.close()
    }
  })
}
