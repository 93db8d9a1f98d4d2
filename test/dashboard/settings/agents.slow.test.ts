import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { runAsAgent } from '../../../api/gateway/agent-calls.ts'
import { findAgentToken } from '../../../api/oauth/agent-tokens.ts'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { listAgentGrants } from '../../../store/db/agents/list-agent-grants.ts'
import { password } from '../../api/accounts.ts'
import { film } from '../../api/gateway.ts'
import { callOf, mcpUrl, startHost } from '../../api/oauth/agent-host.ts'
import { axe, fits, keep, openBrowser, openTab, signIn, sizes, until } from '../open-browser.ts'
import { openSite, type Site } from '../site.ts'

let site: Site
let browser: Browser

test.before(async () => {
  site = await openSite({ oauth: readOAuthSettings({ FARM_MCP_URL: mcpUrl }, mcpUrl) })
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

const has = (text: string) =>
  `document.querySelector('[aria-label="Connected agents"]')?.textContent.includes(${JSON.stringify(text)})`

test('a person sees what an agent spends, and changes its caps', async (t) => {
  const { gateway, origin } = site
  const host = await startHost(gateway)
  const { accountId } = host.customer
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const { page } = tab
  await signIn(tab, { url: `${origin}/settings`, email: host.person.email, password })
  await until(page, has(`None. An AI agent signs in at ${mcpUrl}.`))

  const { access_token: token } = await host.connect({ totalCap: 3_000 })
  await page.reload()
  await until(
    page,
    has('0 of 3,000 credits spent, at most 120 credits a render and 25 films a bulk'),
  )
  await until(page, has('never used'))
  await until(page, has('answers to claude.ai'))
  await until(page, has(mcpUrl))

  const agent = await findAgentToken(gateway.context, token)
  if (!agent) throw new Error('The token must be accepted')
  const sent = await runAsAgent(callOf(agent), async () =>
    gateway.server.inject({
      ...{ method: 'POST', url: '/api/render/api-key' },
      payload: { payload: film, jobId: randomUUID() },
    }),
  )
  t.is(sent.statusCode, 202, sent.body)
  const { creditsReserved } = sent.json()
  await until(page, has(`${creditsReserved} of 3,000 credits spent`))
  await until(page, has('last used'))
  t.deepEqual(await axe(page), [])
  await keep(page, 'agents-desktop')

  await page.click('button[aria-label="Change Claude"]')
  t.is(await page.inputValue('dialog select[name=profile]'), 'creator')
  t.is(await page.inputValue('dialog input[name=renderCap]'), '120')
  t.is(await page.inputValue('dialog input[name=totalCap]'), '3000')
  t.is(await page.inputValue('dialog input[name=bulkCap]'), '25')
  t.deepEqual(await axe(page), [])
  await keep(page, 'agents-change')
  await page.selectOption('dialog select[name=profile]', 'automation')
  await page.fill('dialog input[name=renderCap]', '1')
  await page.fill('dialog input[name=totalCap]', '')
  await page.fill('dialog input[name=bulkCap]', '1')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('dialog', { state: 'detached' })
  await until(page, has('at most 1 credit a render and 1 film a bulk'))
  await until(page, has(`${creditsReserved} credits spent`))
  const [grant] = await listAgentGrants(gateway.db, accountId)
  t.like(grant, { profile: 'automation', renderCap: 1, totalCap: null, bulkCap: 1 })

  await page.setViewportSize(sizes.phone)
  t.true(await fits(page))
  await keep(page, 'agents-phone')
  await page.click('button[aria-label="Disconnect Claude"]')
  await until(page, has('None. An AI agent signs in'))
  t.deepEqual(await listAgentGrants(gateway.db, accountId), [])
  t.deepEqual(tab.faults, [])
  await context.close()
})
