import test from 'ava'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { looks, looksAsKept, openLook, rowsAt } from './looks.ts'
import { openBrowser } from './open-browser.ts'
import { openSite, type Site } from './site.ts'

/**
 * Story 18: twelve screens in five looks, compared with the pictures in `kept/`. A change that is meant is
 * kept by `npm run dashboard:pictures`, and looked at before it is committed.
 */

const kept = new URL('kept/', import.meta.url).pathname
const shownJob = '00000000-0000-4000-8000-000000000018'
/** Parts that come after their page. */
const awaited: Readonly<Record<string, string>> = {
  ...{ jobs: 'tbody a', bulk: 'a.sheet-cell', 'new-bulk': 'main select' },
}

const payload = {
  ...{ name: 'Autumn sale', width: 320, height: 180, duration: 1, variables: { guest: 'Ada' } },
  visuals: [{ type: 'TEXT', text: '{{guest}}' }],
}

let site: Site
let browser: Browser
let screens: Record<string, string>
let signsIn: { url: string; email: string; password: string }

test.before(async () => {
  site = await openSite()
  browser = await openBrowser()
  const user = await site.user()
  signsIn = user.signsIn
  screens = await seed(user.customer)
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

type Customer = Awaited<ReturnType<Site['user']>>['customer']

/** One of everything, with the same names and times in every run. */
async function seed({ accountId, post }: Customer): Promise<Record<string, string>> {
  const made = async (path: string, body: object) => {
    const reply = await post(path, body)
    if (reply.statusCode >= 300) throw new Error(reply.body)
    return reply.json()
  }
  const template = await made('/api/templates', { name: 'Invitation', payload })
  const job = await made('/api/render/api-key', { payload, jobId: shownJob })
  await post(`/api/jobs/${(await made('/api/render/api-key', { payload })).jobId}/cancel`)
  const items = Array.from({ length: 12 }, (_, i) => ({ name: `Guest ${i}` }))
  const bulk = await made('/api/render/bulk/api-key', { payload, name: 'Guests', items })
  const hook = {
    url: 'https://example.com/hook',
    description: 'Our shop',
    events: ['render.failed'],
  }
  const webhook = await made('/api/webhooks', hook)
  await fixTimes(accountId)
  return {
    ...{ overview: '/', jobs: '/jobs', job: `/jobs/${job.jobId}`, bulks: '/bulks' },
    ...{ bulk: `/bulks/${bulk.bulkId}`, 'new-bulk': `/bulks/new?template=${template.id}` },
    ...{ templates: '/templates', template: `/templates/${template.id}`, webhooks: '/webhooks' },
    ...{ webhook: `/webhooks/${webhook.id}`, credits: '/credits', nowhere: '/no/such/page' },
  }
}

/** Sets every time of the account to about 20 minutes before the pages' present, jobs in their order. */
async function fixTimes(accountId: string): Promise<void> {
  const { db } = site.gateway
  const start = rowsAt
  await sql`update jobs set updated_at = ${start}, created_at = ${start}::timestamptz + place * interval '1 ms',
      finished_at = case when finished_at is null then null else ${start}::timestamptz end
    from (select id, row_number() over (order by bulk_index nulls first, name, state) as place
      from jobs where account_id = ${accountId}) placed
    where jobs.id = placed.id`.execute(db)
  await sql`update templates set updated_at = ${start} where account_id = ${accountId}`.execute(db)
  for (const table of ['bulks', 'templates', 'webhooks', 'credit_entries']) {
    await sql`update ${sql.table(table)} set created_at = ${start}
      where account_id = ${accountId}`.execute(db)
  }
}

for (const [look, options] of Object.entries(looks)) {
  test.serial(`screens look as they were kept, ${look}`, async (t) => {
    const tab = await openLook(browser, options, signsIn)
    for (const [name, path] of Object.entries(screens)) {
      const address = site.origin + path
      await looksAsKept(t, tab, { address, part: awaited[name], kept, look, name })
    }
    t.deepEqual(tab.faults, [])
    await tab.context.close()
  })
}
