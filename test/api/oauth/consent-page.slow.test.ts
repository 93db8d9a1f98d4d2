import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { findChromium } from '../../../worker/bake/browser.ts'
import { password, signIn } from '../accounts.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { form, pkce, register } from './agent-host.ts'

/** The page in a real browser, by keyboard alone, as a phone and as a desktop shows it. */

let gateway: Gateway
let browser: Browser
let origin: string

const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 900 } }
/** Folder to keep pictures of the page in; none are kept without it. */
const pictures = process.env.FARM_TEST_PICTURES

test.before(async () => {
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  gateway = await startGateway({ publicUrl: origin, oauth: readOAuthSettings({}, origin) })
  await gateway.server.listen({ port, host: '127.0.0.1' })
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
test.after.always(async () => {
  await browser?.close()
  await gateway?.stop()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

type Opening = { size: keyof typeof sizes; redirectUri: string; credits?: number }

async function open({ size, redirectUri, credits = 2_500 }: Opening) {
  const { accountId } = await gateway.customer(credits)
  const { email } = await signIn(gateway, accountId)
  const metadata = { client_name: 'Claude', redirect_uris: [redirectUri] }
  const registered = await register(gateway.server, metadata)
  const { verifier, challenge } = pkce()
  const clientId = String(registered.json().client_id)
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', state: 's' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: `${origin}/mcp` },
  })
  const context = await browser.newContext({ viewport: sizes[size] })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(`${origin}/oauth/authorize?${query}`)
  await page.getByText('asks to use your render farm account').waitFor()
  return { page, email, accountId, faults, client: { clientId, redirectUri, verifier } }
}

const keep = async (page: Page, name: string) => {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

/** Tabs until an element with this label or text has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let i = 0; i < 25; i += 1) {
    await page.keyboard.press('Tab')
    const text = String(await page.evaluate(focusedText)).trim()
    if (typeof name === 'string' ? text === name : name.test(text)) return
  }
  throw new Error(`Tab must reach ${name}`)
}

/** Text of what has the focus, or of its label; run by the page. */
const focusedText = `(document.activeElement.labels?.[0] ?? document.activeElement).textContent`

async function signInByKeyboard(page: Page, email: string, text = password): Promise<void> {
  // The page puts the focus on the first field.
  await page.locator('#email:focus').waitFor()
  await page.keyboard.type(email)
  await tabTo(page, 'Password')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

const fits = async (page: Page) =>
  await page.evaluate('document.documentElement.scrollWidth <= innerWidth')

test('one credit is one on the page', async (t) => {
  const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
  const { page, email } = await open({ size: 'desktop', redirectUri, credits: 1 })
  await signInByKeyboard(page, email)
  await page.locator('#consent').waitFor()
  t.is(await page.locator('#credits').textContent(), '1 credit')
})

for (const size of ['phone', 'desktop'] as const) {
  test(`${size}: a person lets a web client in by keyboard alone`, async (t) => {
    const redirectUri = 'https://claude.ai/api/mcp/auth_callback'
    const { page, email, client, faults } = await open({ size, redirectUri })
    t.is(await page.locator('#redirect-uri').textContent(), redirectUri)
    t.is(await page.locator('#scope').textContent(), 'service:mcp')
    t.false(await page.locator('#own-computer').isVisible())
    t.is(await fits(page), true)
    await keep(page, `${size}-sign-in`)
    await signInByKeyboard(page, email)
    await page.locator('#consent').waitFor()
    t.is(await page.locator('#account').textContent(), email)
    t.is(await page.locator('#credits').textContent(), '2500 credits')
    t.is(await fits(page), true)
    await keep(page, `${size}-consent`)
    await tabTo(page, /^Creator/)
    await page.keyboard.press('ArrowUp')
    t.false(await page.locator('#caps').isVisible())
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    t.true(await page.locator('#caps').isVisible())
    await tabTo(page, 'Credits for one render, at most')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('60')
    await tabTo(page, 'Credits in all, at most')
    await page.keyboard.type('500')
    await tabTo(page, 'Allow')
    // No network is there: what counts is where the browser wants to go.
    const leaving = page.waitForRequest(/^https:\/\/claude\.ai\//)
    await page.keyboard.press('Enter')
    const answer = new URL((await leaving).url())
    t.is(answer.searchParams.get('iss'), origin)
    const tokens = await form(gateway.server, '/oauth/token', {
      ...{ grant_type: 'authorization_code', code: answer.searchParams.get('code') ?? '' },
      ...{ client_id: client.clientId, redirect_uri: redirectUri, code_verifier: client.verifier },
    })
    const agent = await findAgentToken(gateway.context, tokens.json().access_token)
    t.like(agent?.credential, { profile: 'automation' })
    t.deepEqual(agent?.credential.caps, { renderCap: 60, totalCap: 500, bulkCap: 25 })
    t.deepEqual(
      faults.filter((fault) => !fault.includes('ERR_NAME')),
      [],
    )
    await page.context().close()
  })

  test(`${size}: a person, warned of a program on this computer, refuses it`, async (t) => {
    let answered: URL | undefined
    const callback = createServer((request, reply) => {
      answered = new URL(request.url ?? '', 'http://127.0.0.1')
      reply.end('refused')
    })
    await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve))
    const { port } = callback.address() as AddressInfo
    const redirectUri = `http://127.0.0.1:${port}/callback`
    const { page, email } = await open({ size, redirectUri })
    t.true(await page.locator('#own-computer').isVisible())
    await signInByKeyboard(page, email, 'wrong')
    await page
      .getByRole('alert')
      .getByText('must match a user. Got a pair that does not. Check both and sign in again.')
      .waitFor()
    await keep(page, `${size}-wrong-password`)
    t.is(await page.locator(':focus').getAttribute('id'), 'password')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.locator('#consent').waitFor()
    t.is(await fits(page), true)
    await keep(page, `${size}-own-computer`)
    await tabTo(page, 'Refuse')
    await page.keyboard.press('Enter')
    await page.getByText('refused', { exact: true }).waitFor()
    t.is(answered?.searchParams.get('error'), 'access_denied')
    callback.close()
    callback.closeAllConnections()
    await page.context().close()
  })
}

test('a used link and another browser’s link say where to restart', async (t) => {
  const { page } = await open({ size: 'phone', redirectUri: 'https://claude.ai/cb' })
  const other = await browser.newContext({ viewport: sizes.phone })
  const foreign = await other.newPage()
  await foreign.goto(page.url())
  await foreign.getByRole('alert').getByText('start again from the app').waitFor()
  t.false(await foreign.locator('#sign-in').isVisible())
  await keep(foreign, 'phone-foreign')
  await foreign.goto(`${origin}/oauth/authorize?client_id=unknown&redirect_uri=https://x.example/`)
  await foreign.getByRole('heading', { name: 'cannot be connected' }).waitFor()
  const radius = `getComputedStyle(document.querySelector('main')).borderRadius`
  t.is(await foreign.evaluate(radius), '12px')
  await keep(foreign, 'phone-unknown-client')
  await other.close()
  await page.context().close()
})
