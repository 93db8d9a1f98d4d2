import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { startLocalFarm } from '../../cli/farm/local-farm.ts'
import { connect } from '../api/agent/host.ts'

test('a host previews, renders a film and a still, and sees both', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const farm = startLocalFarm({ dataDir, port: 0, workers: 1, onEvent: () => undefined })
  t.teardown(() => farm.stop())
  const { url, apiKey } = await farm.ready
  const { call, client } = await connect(new URL(`${url}/mcp`), {
    headers: { 'x-api-key': apiKey },
  })
  const saved = await call('save_draft', { name: 'Count', from: 'countdown' })
  t.false(saved.isError, saved.text)
  const draft = /prj_\w{20}/.exec(saved.text)?.[0]
  const { content } = await client.callTool({ name: 'preview_project', arguments: { draft } })
  const [picture] = content as { type: string; data: string; mimeType: string }[]
  t.like(picture, { type: 'image', mimeType: 'image/jpeg' })
  const jpeg = Buffer.from(String(picture?.data), 'base64')
  t.is(jpeg.readUInt16BE(0), 0xffd8)
  t.true(jpeg.length > 1_000 && jpeg.length <= 27_000, `${jpeg.length}`)
  const quote = /qt_\w{20}/.exec((await call('quote_render', { draft })).text)?.[0]
  const notes: number[] = []
  const onprogress = ({ progress }: { progress: number }) => notes.push(progress)
  const rendered = await call('render', { quote }, { onprogress })
  t.like(rendered.facts, { state: 'completed' })
  t.true(notes.length >= 3, `${notes}`)
  t.deepEqual(
    notes,
    notes.toSorted((a, b) => a - b),
  )
  const file = await fetch(String((rendered.facts as { url: string }).url))
  t.is(file.status, 200)
  t.is(Buffer.from(await file.arrayBuffer()).toString('latin1', 4, 8), 'ftyp')

  const payload = { type: 'image', width: 1280, height: 720, backgroundColor: '#ff0000' }
  const still = await call('save_draft', { name: 'Red', project: { ...payload, visuals: [] } })
  const stillDraft = /prj_\w{20}/.exec(still.text)?.[0]
  const stillQuote = await call('quote_render', { draft: stillDraft })
  const made = await call('render', { quote: /qt_\w{20}/.exec(stillQuote.text)?.[0] })
  t.like(made.facts, { state: 'completed', size: '1280x720' })
  const asked = { id: (made.facts as { id: string }).id, show: true }
  const shown = await client.callTool({ name: 'get_render', arguments: asked })
  const [, image] = shown.content as { type: string; data: string }[]
  t.is(image?.type, 'image', JSON.stringify(shown))
  const thumbnail = sharp(Buffer.from(String(image?.data), 'base64'))
  t.like(await thumbnail.metadata(), { format: 'jpeg', width: 640, height: 360 })
  const [red = 0, green = 255] = await thumbnail.raw().toBuffer()
  t.true(red > 250 && green < 5, `${red} ${green}`)
})
