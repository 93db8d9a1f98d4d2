import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { endJobs } from '../../store/db/jobs/end-jobs.ts'
import { film, renderPath } from '../api/gateway.ts'
import { keep, openTab, sizes, until } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** Story 05: all by the keyboard. The focus is always somewhere, and always seen. */

const mostTabs = 60
const focus = `(() => {
  const at = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(at)
  const box = at.getBoundingClientRect()
  return {
    tag: at.tagName,
    name: at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '',
    isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && box.width > 0,
  }
})()`
const state = `document.querySelector('.page-head .state')?.textContent.trim()`

const stage = stageOfFile()

/** Presses a key; afterwards something that is seen must have the focus. */
function keyboard(t: ExecutionContext, page: Page) {
  const focused = async () =>
    (await page.evaluate(focus)) as { tag: string; name: string; isSeen: boolean }
  const check = async (after: string) => {
    const { tag, name, isSeen } = await focused()
    t.not(tag, 'BODY', after)
    t.true(isSeen, `${after}: ${tag} ${name}`)
  }
  const press = async (key: string) => {
    const { name } = await focused()
    await page.keyboard.press(key)
    await check(`${key} at ${name}`)
  }
  const tabTo = async (wanted: string, key: 'Tab' | 'Shift+Tab' = 'Tab') => {
    for (let i = 0; i < mostTabs; i += 1) {
      await press(key)
      if ((await focused()).name.trim().startsWith(wanted)) return
    }
    t.fail(`Tab must reach ${wanted}`)
  }
  return { press, tabTo, check }
}

test('jobs are found, retried and cancelled by the keyboard alone', async (t) => {
  const { customer, signsIn } = await stage.site.user()
  const names = ['Autumn', 'Winter', 'Spring']
  const ids: string[] = []
  for (const name of names) {
    const sent = await customer.post(renderPath, { payload: { ...film, name } })
    ids.push(sent.json().jobId)
  }
  const error = { code: 'internal', message: 'The lens was dirty', details: [] } as const
  await endJobs(stage.site.gateway.db, {
    accountId: customer.accountId,
    ends: [{ jobId: ids[1] ?? '', reason: error.message, end: { to: 'failed', error } }],
  })
  const context = await stage.browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const { page } = tab
  const { press, tabTo, check } = keyboard(t, page)
  const arrive = async (heading: string) => {
    await until(page, `document.querySelector('h1')?.textContent === '${heading}'`)
    await check(`at ${heading}`)
  }

  await page.goto(stage.site.origin)
  await page.waitForSelector('input[name=email]')
  await tabTo('Email')
  await page.keyboard.type(signsIn.email)
  await press('Tab')
  await page.keyboard.type('wrong')
  await press('Enter')
  await page.waitForSelector('[role=alert]')
  await check('after a refusal')
  await page.keyboard.press('Control+A')
  await page.keyboard.type(signsIn.password)
  await press('Enter')
  await arrive('Overview')
  // A page that was just opened begins at its top.
  await page.reload()
  await page.waitForSelector('h1')
  await tabTo('Skip to the content')
  await press('Enter')
  t.is(await page.evaluate('document.activeElement.id'), 'content')
  await tabTo('Jobs', 'Shift+Tab')
  await press('Enter')
  await arrive('Jobs')
  await page.waitForSelector('tbody a')
  await tabTo('State')
  await page.keyboard.type('failed')
  await until(page, `document.querySelectorAll('tbody a').length === 1`)
  await check('filtered')
  t.regex(page.url(), /state=failed/)
  t.regex(
    await page.locator('main').ariaSnapshot(),
    /heading "Jobs" \[level=1\][\s\S]*table[\s\S]*checkbox "Choose Winter"[\s\S]*link "Winter"[\s\S]*failed/,
  )
  await keep(page, 'story-05-filtered')
  await tabTo('Winter')
  await press('Enter')
  await arrive('Winter')
  const failed = await page.locator('main').ariaSnapshot()
  t.regex(failed, /heading "Winter" \[level=1\][\s\S]*failed/)
  t.regex(failed, /The lens was dirty/)
  await tabTo('Render again')
  await press('Enter')
  await until(page, `${state} === 'queued'`)
  await check('the new job')
  await tabTo('Cancel')
  await keep(page, 'story-05-cancel')
  await press('Enter')
  await until(page, `${state} === 'cancelled'`)
  await check('cancelled')
  t.regex(await page.locator('main').ariaSnapshot(), /button "Render again"/)
  await page.goBack()
  await until(page, `${state} === 'failed'`)
  await check('back at the failed job')
  await page.goBack()
  await arrive('Jobs')
  t.regex(page.url(), /state=failed/)
  await context.close()
})

test('dialogs give the focus back, and lists walk by arrows', async (t) => {
  const { customer, signsIn } = await stage.site.user()
  for (let i = 0; i < 3; i += 1)
    await customer.post(renderPath, { payload: { ...film, name: 'Row' } })
  const context = await stage.browser.newContext({ viewport: sizes.desktop })
  const { page } = await openTab(context)
  const { press, tabTo, check } = keyboard(t, page)
  await page.goto(`${stage.site.origin}/webhooks`)
  await page.fill('input[name=email]', signsIn.email)
  await page.fill('input[name=password]', signsIn.password)
  await page.press('input[name=password]', 'Enter')
  await page.waitForSelector('.empty button')
  await tabTo('New webhook')
  await press('Enter')
  await page.waitForSelector('dialog[open]')
  await press('Escape')
  await until(page, `document.querySelector('dialog') === null`)
  await check('after Escape')
  await until(page, `document.activeElement.textContent === 'New webhook'`)
  await press('Enter')
  await page.waitForSelector('dialog[open]')
  await page.keyboard.type('https://example.com/hook')
  await press('Enter')
  await page.waitForSelector('.secret')
  await tabTo('I have kept it')
  await press('Enter')
  await until(page, `document.querySelector('h1')?.textContent === 'https://example.com/hook'`)
  await check('at the new webhook')
  await tabTo('Jobs', 'Shift+Tab')
  await press('Enter')
  await page.waitForSelector('tbody a')
  await tabTo('Row')
  const row = `document.activeElement.closest('tr')?.dataset.index`
  for (const [key, index] of [
    ['ArrowDown', 1],
    ['End', 2],
    ['Home', 0],
  ] as const) {
    await press(key)
    await until(page, `${row} === '${index}'`)
  }
  await context.close()
})
