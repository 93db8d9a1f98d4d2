import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { createLog } from '../../../runtime/log.ts'
import { createBaker } from '../../../worker/bake/baker.ts'
import { createWarmBrowser } from '../../../worker/bake/browser.ts'
import { createFonts } from '../../../worker/bake/fonts.ts'
import { createBakePages } from '../../../worker/bake/pages.ts'
import { bakeOne, html, never } from './baking.ts'

/** Allowed markup that Chromium works on for minutes. */
const layer =
  'position:absolute;inset:0;background:repeating-conic-gradient(red 0deg 1deg,rgba(0,0,255,.1) 1deg 2deg)'
const endless = html(
  `<div style="position:relative;width:4000px;height:4000px">${`<p style="${layer}"></p>`.repeat(1_000)}</div>`,
  { field: 'scenes[2].visuals[1]' },
)

test('a browser-hanging element is found among others, and baking goes on', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'farm-bake-'))
  const limitMs = { together: 5_000, alone: 5_000 }
  const baker = createBaker({ log: createLog('test', 'silent'), dataDir, limitMs })
  const error = await t.throwsAsync(baker.bake([html('fine'), endless], never), {
    instanceOf: FarmError,
  })
  t.is(error.code, 'element_invalid')
  t.is(error.field, 'scenes[2].visuals[1]')
  t.regex(error.message, /painted within 5 s/)
  t.true((await bakeOne(baker, html('fine'))).inkWidth > 10)
  await baker.close()
  await rm(dataDir, { recursive: true, force: true })
})

test('opening pages are given up whenever their browser is killed', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'farm-bake-'))
  const warm = createWarmBrowser({ log: createLog('test', 'silent'), dataDir })
  for (const ms of [50, 300, 700]) {
    const browser = await warm.get()
    const pages = createBakePages({ browser: warm, fonts: createFonts() })
    const taken = Promise.allSettled(Array.from({ length: 15 }, () => pages.take()))
    await sleep(ms)
    await warm.kill(browser)
    t.is((await taken).length, 15)
  }
  await warm.close()
  await rm(dataDir, { recursive: true, force: true })
})
