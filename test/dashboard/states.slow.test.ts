import test from 'ava'
import { inBothThemes } from './looks-well.ts'
import { failRequests, visit } from './open-browser.ts'
import { addOneOfEverything, stageOfFile } from './stage.ts'

/** Customers' screens with nothing on them, in front of a farm that fails, and with text at 200 %. */

const stage = stageOfFile()
const payload = {
  ...{ name: 'A film', width: 320, height: 180, duration: 1, variables: { guest: 'Ada' } },
  visuals: [{ type: 'TEXT', text: '{{guest}}' }],
}

/** Screens that an account without anything has. */
const ofNobody = {
  ...{ overview: '/', jobs: '/jobs', 'no-job': '/jobs?q=nothing', bulks: '/bulks' },
  ...{ 'new-bulk': '/bulks/new', templates: '/templates', webhooks: '/webhooks' },
  ...{ keys: '/keys', credits: '/credits', settings: '/settings' },
}

async function seeded() {
  const user = await stage.site.user()
  const items = [{ name: 'Ada' }, { name: 'Ben' }]
  return { ...user, screens: await addOneOfEverything(user.customer, { payload, items }) }
}

test.serial('screens without anything on them are accessible', async (t) => {
  const { tab, page, close } = await stage.newcomer()
  for (const [name, path] of Object.entries(ofNobody)) {
    await visit(tab, stage.site.origin + path)
    await inBothThemes(t, page, { name: `empty-${name}` })
  }
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('screens that say what failed are accessible', async (t) => {
  const { signsIn, screens } = await seeded()
  const { tab, page, close } = await stage.signedIn({ signsIn })
  await failRequests(page)
  const { nowhere: _, ...reading } = screens
  for (const [name, path] of Object.entries(reading)) {
    await visit(tab, stage.site.origin + path)
    await page.waitForSelector('.fault')
    await inBothThemes(t, page, { name: `failed-${name}` })
  }
  await close()
})

test.serial('screens with text at 200 % are accessible', async (t) => {
  const { signsIn, screens } = await seeded()
  const { tab, page, close } = await stage.signedIn({ signsIn })
  for (const [name, path] of Object.entries(screens)) {
    await visit(tab, stage.site.origin + path)
    await inBothThemes(t, page, { name: `large-${name}`, isLarge: true })
  }
  t.deepEqual(tab.faults, [])
  await close()
})
