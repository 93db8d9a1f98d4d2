import test from 'ava'
import { sql } from 'kysely'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { renderPath, requestOf } from '../../api/gateway.ts'
import { axe, fits, keep, sizes, until, visit } from '../open-browser.ts'
import { type Customer, sender, stageOfFile } from '../stage.ts'

/** Filters and choices of the list of jobs, in a real browser with real rows. */

const stage = stageOfFile()

/** Submits jobs by these names; those whose name begins with "Broken" have failed. */
async function submitted(customer: Customer, names: readonly string[]): Promise<void> {
  const { accountId } = customer
  for (const name of names) {
    const { payload } = requestOf()
    const { jobId } = await sender(customer)(renderPath, { payload: { ...payload, name } })
    if (!name.startsWith('Broken')) continue
    const error = { code: 'media_unreachable', message: 'No such picture', details: [] } as const
    const settlement = { to: 'failed', error } as const
    await settleJob(stage.site.gateway.db, { accountId, jobId, reason: 'test', settlement })
  }
}

test.serial('all running jobs of the overview’s link are cancelled at once', async (t) => {
  const { customer, tab, page, close } = await stage.newcomer()
  // More than the overview shows, so that it leads on.
  await submitted(customer, ['Broken', ...Array.from({ length: 12 }, (_, at) => `Open ${at}`)])
  await visit(tab, stage.site.origin)
  await page.click('text=All running jobs')
  await page.waitForSelector('text=12 jobs')
  const state = page.locator('search select').first()
  t.is(await state.locator('option:checked').textContent(), 'running or waiting')
  await page.check('input[aria-label="Choose all jobs that match"]')
  await page.click('text=Cancel 12 jobs')
  await page.click('text=Do it')
  await page.waitForSelector('text=12 of 12 jobs, 12 cancelled')
  t.like((await customer.get('/api/jobs?counts=true')).json().counts, { cancelled: 12, failed: 1 })
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('the address confines the list to a span of time', async (t) => {
  const { customer, tab, page, close } = await stage.newcomer()
  await submitted(customer, ['Old', 'Older', 'New'])
  await sql`update jobs set created_at = created_at - interval '2 days'
    where account_id = ${customer.accountId} and name like 'Old%'`.execute(stage.site.gateway.db)
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.waitForSelector('text=3 jobs')
  await page.getByLabel('Made').selectOption('day')
  await page.waitForSelector('.page-head >> text=1 job')
  t.is(new URL(page.url()).search, '?from=day')
  await page.reload()
  await page.waitForSelector('.page-head >> text=1 job')
  t.deepEqual(await page.locator('tbody a').allTextContents(), ['New'])
  await keep(page, 'jobs-of-a-day')
  await page.goBack()
  await page.waitForSelector('text=3 jobs')
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('x chooses the row that has the focus, unless switched off', async (t) => {
  const { customer, tab, page, close } = await stage.newcomer()
  await submitted(customer, ['One', 'Two', 'Three'])
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.locator('tbody a').first().focus()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.waitForSelector('text=1 job chosen')
  t.true(await page.locator('tr[data-index="1"] input').isChecked())
  await page.keyboard.press('x')
  await page.waitForSelector('text=1 job chosen', { state: 'detached' })
  t.true(await page.evaluate(`document.activeElement.closest('tr').dataset.index === '1'`))
  await page.evaluate(`localStorage.setItem('farm shortcuts', 'off')`)
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.locator('tbody a').first().focus()
  await page.keyboard.press('x')
  await page.keyboard.press('ArrowDown')
  await until(page, `document.activeElement.closest('tr')?.dataset.index === '1'`)
  t.is(await page.locator('tbody input:checked').count(), 0)
  t.deepEqual(tab.faults, [])
  await close()
})

/** Cells of rows that reach over their row or over each other. */
const colliding = `[...document.querySelectorAll('tbody tr')].flatMap((row) => {
  const { left, right, top, bottom } = row.getBoundingClientRect()
  const boxes = [...row.cells].map((cell) => cell.getBoundingClientRect())
  const isOut = (box) => box.left < left || box.right > right || box.top < top - 1 || box.bottom > bottom + 1
  const meets = (a, b) => a !== b && a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1
  return boxes.filter((box) => isOut(box) || boxes.some((other) => meets(box, other)))
}).length`

test.serial('a telephone has the chosen columns and chooses all jobs', async (t) => {
  const { customer, tab, page, close } = await stage.newcomer({ viewport: sizes.phone })
  await submitted(customer, [
    'One',
    'Two with a name that is far too long for a telephone',
    'Three',
  ])
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.click('text=Columns')
  for (const name of ['Stage', 'Length', 'Credits'])
    await page.check(`.menu label:has-text("${name}") input`)
  await keep(page, 'jobs-columns-on-a-phone')
  await page.click('text=Columns')
  t.true(await page.locator('tbody tr >> nth=0 >> td[data-name="Credits"]').isVisible())
  t.deepEqual([await page.evaluate(colliding), await fits(page), await axe(page)], [0, true, []])
  await page.check('text=Choose all')
  await page.waitForSelector('text=3 jobs chosen')
  await keep(page, 'jobs-chosen-on-a-phone')
  await page.setViewportSize(sizes.desktop)
  await page.waitForSelector('th:text-is("Credits")')
  t.deepEqual(tab.faults, [])
  await close()
})
