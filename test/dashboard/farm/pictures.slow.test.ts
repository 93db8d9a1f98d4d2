import test from 'ava'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { addOperatorWithPassword, password } from '../../api/operator/operators.ts'
import { looks, looksAsKept, openLook } from '../looks.ts'
import { openBrowser } from '../open-browser.ts'
import type { Site } from '../site.ts'
import { pinAnswers } from './pinned.ts'
import { addAlerts, addFilm, addNodes, letNodesSpeak, openFarmSite } from './site.ts'

/** Story 18 for operators: twelve of their pages in three looks, compared with the pictures in `kept/`. */

const kept = new URL('kept/', import.meta.url).pathname
const { dark, narrow, large } = looks

let site: Site
let browser: Browser
let screens: Readonly<Record<string, string>>

test.before(async () => {
  site = await openFarmSite()
  browser = await openBrowser()
  const nodes = await addNodes(site)
  const film = await addFilm(site)
  await addAlerts(site, film)
  // Ages decide what the farm finds wrong: they are the same in every run.
  await sql`update tasks set created_at = now() - interval '5 minutes'`.execute(site.gateway.db)
  screens = {
    ...{ now: '/farm', nodes: '/farm/nodes', grid: '/farm/nodes?view=grid' },
    ...{ node: `/farm/nodes/${nodes[5]}`, pools: '/farm/pools', queue: '/farm/queue' },
    ...{ jobs: '/farm/jobs', job: `/farm/jobs/${film.jobId}`, log: `/farm/tasks/${film.taskId}` },
    ...{ account: `/farm/accounts/${film.accountId}`, alerts: '/farm/alerts' },
    ...{ maintenance: '/farm/maintenance' },
  }
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

for (const [look, options] of Object.entries({ dark, narrow, large })) {
  test.serial(`operators’ pages look as they were kept, ${look}`, async (t) => {
    const { email } = await addOperatorWithPassword(site.gateway, 'admin')
    const url = `${site.origin}/farm`
    const tab = await openLook(browser, options, { url, email, password }, pinAnswers)
    for (const [name, path] of Object.entries(screens)) {
      await letNodesSpeak(site)
      await looksAsKept(t, tab, { address: site.origin + path, kept, look, name })
    }
    t.deepEqual(tab.faults, [])
    // Pages read again and again: an answer may be on its way.
    await tab.page.unrouteAll({ behavior: 'ignoreErrors' })
    await tab.context.close()
  })
}
