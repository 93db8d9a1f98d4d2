import { type Browser, chromium } from 'playwright-core'
import { findChromium } from '../../worker/bake/browser.ts'
import { farm as runFarm } from '../cli/run-farm.ts'
import type { Farm } from './running-farm.ts'

/** A person who has an account at a farm, a browser, and agents that ask to be let in. */

const email = 'ada@example.com'
const connectionsPath = '/api/agent-connections'

export type Allowance = {
  readonly profile: string
  readonly renderCap?: number
  readonly totalCap?: number
}

/** A connected agent, as the person's dashboard lists it. */
export type Connection = {
  readonly id: string
  readonly clientName: string
  readonly clientDocument: string | null
  readonly redirectHost: string
  readonly profile: string
  readonly renderCap: number
  readonly totalCap: number | null
  readonly creditsSpent: number
}

export type AgentPerson = Awaited<ReturnType<typeof addPerson>>

/** Creates a user of the farm's own account, as operators do, and opens their browser. */
export async function addPerson(farm: Farm, databaseUrl: string) {
  const args = ['users', 'create', 'farm dev', email, '--json', '--why', 'test']
  const { code, out, err } = await runFarm(args, { env: { DATABASE_URL: databaseUrl } })
  if (code !== 0) throw new Error(err)
  const { password } = JSON.parse(out) as { password: string }
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const person = { email, password }

  /** Calls the api with a token of the dashboard. */
  async function call<T>(method: string, path: string): Promise<T> {
    const { accessToken } = await json<{ accessToken: string }>(`${farm.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(person),
    })
    const headers = { authorization: `Bearer ${accessToken}` }
    return await json<T>(`${farm.url}${path}`, { method, headers })
  }

  return {
    /** Answers the consent page that an agent sends the browser to. */
    allow: (allowance: Allowance) => async (authorizeUrl: URL) =>
      await consent(browser, authorizeUrl, { ...person, ...allowance }),
    async connections(): Promise<readonly Connection[]> {
      const { connections } = await call<{ connections: Connection[] }>('GET', connectionsPath)
      return connections
    },
    async disconnect({ id }: Connection): Promise<void> {
      await call('DELETE', `${connectionsPath}/${id}`)
    },
    leave: () => browser.close(),
  }
}

async function consent(
  browser: Browser,
  authorizeUrl: URL,
  { email, password, profile, ...caps }: Allowance & { email: string; password: string },
): Promise<void> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(authorizeUrl.href)
  await page.getByText('Test host asks to use your render farm account').waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('radio', { name: profile }).check()
  const { renderCap, totalCap } = caps
  if (renderCap !== undefined) {
    await page.getByLabel('Credits for one render, at most').fill(`${renderCap}`)
  }
  if (totalCap !== undefined) await page.getByLabel('Credits in all, at most').fill(`${totalCap}`)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('You may close this page.', { exact: true }).waitFor()
  await context.close()
}

async function json<T>(url: string, init: RequestInit): Promise<T> {
  const reply = await fetch(url, init)
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as T
}
