import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { createLog } from '../../../runtime/log.ts'
import { createBaker } from '../../../worker/bake/baker.ts'
import { bakeOne, html, never } from './baking.ts'

/** Allowed markup that Chromium works on for minutes. */
const layer =
  'position:absolute;inset:0;background:repeating-conic-gradient(red 0deg 1deg,rgba(0,0,255,.1) 1deg 2deg)'
const endless = html(
  `<div style="position:relative;width:4000px;height:4000px">${`<p style="${layer}"></p>`.repeat(1_000)}</div>`,
  { field: 'scenes[2].visuals[1]' },
)

test('an element that hangs the browser is found among others, and baking goes on', async (t) => {
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
