import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import { plans } from '../../core/accounts/plans.ts'
import { film } from '../api/gateway.ts'
import { until, visit, type Watched } from './open-browser.ts'
import { sender, stageOfFile } from './stage.ts'

/** Pictures of templates on a farm that does not paint them. No node is there. */

const stage = stageOfFile({ rateLimits: 'on' })

const guests = ['Ada', 'Bob', 'Cleo']

const daySeconds = 86_400
const secondsOfDay = () => (Date.now() / 1000) % daySeconds

/** A time limit of the page passes by its own clock, which the test moves. */
const byPageClock = `AbortSignal.timeout = (ms) => {
  const ending = new AbortController()
  setTimeout(() => ending.abort(new DOMException('late', 'TimeoutError')), ms)
  return ending.signal
}`

/** Opens the templates of an account; `used`: previews that it has had painted, of a minute or a day. */
async function openTemplates(used?: { per: 'minute' | 'day'; count: number }) {
  const user = await stage.site.user()
  const send = sender(user.customer)
  for (const name of guests) {
    await send('/api/templates', { name, payload: { ...film, name } })
  }
  if (used) {
    const subject = `previews-${used.per}:${user.customer.accountId}`
    await sql`
      insert into rate_windows (subject, minute, used, granted)
      values (${subject}, date_trunc(${used.per}, clock_timestamp(), 'UTC'), ${used.count}, 0)`.execute(
      stage.site.gateway.db,
    )
  }
  const opened = await stage.signedIn(user, { script: byPageClock })
  const replies: number[] = []
  opened.page.on('response', (reply) => {
    if (reply.url().endsWith('/api/render/preview')) replies.push(reply.status())
  })
  const asked = new Set<string>()
  opened.page.on('request', (request) => {
    if (!request.url().endsWith('/api/render/preview')) return
    asked.add(JSON.parse(request.postData() ?? '{}').template)
  })
  await opened.page.clock.install()
  await visit(opened.tab, `${stage.site.origin}/templates`)
  return { ...opened, replies, asked }
}

/** Lets ten minutes pass in the page, second by second. */
async function tenMinutes({ page }: Pick<Watched, 'page'>): Promise<void> {
  for (let i = 0; i < 100; i += 1) await page.clock.runFor(6_000)
}

test.serial('previews of the day that are used up end the visit’s pictures', async (t) => {
  // Just before midnight the day's previews come back while the page waits for them.
  if (secondsOfDay() > daySeconds - 300) await sleep((daySeconds - secondsOfDay() + 1) * 1000)
  const opened = await openTemplates({ per: 'day', count: plans.free.previewsPerDay })
  while (opened.replies.length === 0) await until(opened.page, 'true')
  await tenMinutes(opened)
  t.deepEqual(opened.replies, [429])
  await opened.close()
})

test.serial('a picture that is late ends the visit’s pictures', async (t) => {
  const opened = await openTemplates()
  while (opened.replies.length === 0) await until(opened.page, 'true')
  await tenMinutes(opened)
  t.true(opened.replies.every((status) => status === 202))
  t.is(opened.asked.size, 1)
  await opened.close()
})
