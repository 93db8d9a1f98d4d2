import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createLog } from '../../../runtime/log.ts'
import { createWarmBrowser } from '../../../worker/bake/browser.ts'
import { createCutter } from '../../../worker/bake/cutter.ts'
import { createFonts } from '../../../worker/bake/fonts.ts'
import { createBakePages } from '../../../worker/bake/pages.ts'
import { paintElements } from '../../../worker/bake/paint.ts'

/** Each reaches out in its own way once the sanitiser is out of the way. */
const waysOut = (url: string) => [
  `<img src="${url}img.png">`,
  `<img srcset="${url}set.png 1x">`,
  `<div style="width:9px;height:9px;background:url(${url}background.png)">x</div>`,
  `<style>@import "${url}import.css"; @font-face{font-family:Spy;src:url(${url}spy.woff2)} p{font-family:Spy}</style><p>x</p>`,
  `<link rel="stylesheet" href="${url}link.css"><link rel="preload" as="image" href="${url}preload">`,
  `<link rel="dns-prefetch" href="${url}"><link rel="preconnect" href="${url}">`,
  `<iframe src="${url}frame.html"></iframe><iframe src="file:///etc/passwd"></iframe>`,
  `<object data="${url}object"></object><embed src="${url}embed">`,
  `<video src="${url}video" poster="${url}poster" autoplay></video><audio src="${url}audio" autoplay></audio>`,
  `<svg><image href="${url}image.svg"/><use href="${url}use.svg#a"/></svg>`,
  `<script>fetch("${url}script")</script><img src=x onerror='fetch("${url}onerror")'>`,
  `<meta http-equiv="refresh" content="0;url=${url}refresh"><base href="${url}">`,
  `<form action="${url}form"><input autofocus onfocus='this.form.submit()'></form>`,
]

test('markup that was never sanitised sends nothing out of the browser', async (t) => {
  const hits: string[] = []
  const server = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.end()
  })
  server.on('connection', () => hits.push('connection'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const dataDir = await mkdtemp(join(tmpdir(), 'farm-bake-'))
  const browser = createWarmBrowser({ log: createLog('test', 'silent'), dataDir })
  const fonts = createFonts()
  const cutter = createCutter()
  const fresh = await createBakePages({ browser, fonts }).take()
  const canvas = { width: 640, height: 360 }
  const more = {
    style: [],
    width: undefined,
    height: undefined,
    resize: undefined,
    parts: false,
    canvas,
  }
  const elements = waysOut(`http://127.0.0.1:${port}/`).map((markup) => ({
    kind: 'html' as const,
    markup,
    ...more,
  }))
  const fields = elements.map((_, index) => `visuals[${index}]`)
  try {
    const painting = { ...fresh, fonts, cutter, strictFonts: false, elements, fields }
    const pictures = await paintElements(painting)
    t.is(pictures.length, elements.length)
    t.is(fresh.page.url(), 'https://bake.farm/')
    await fresh.context.close()
  } finally {
    await browser.close()
    await cutter.close()
    await new Promise((resolve) => server.close(resolve))
    await rm(dataDir, { recursive: true, force: true })
  }
  t.deepEqual(hits, [])
})

test('a browser that is ended is started again', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'farm-bake-'))
  const browser = createWarmBrowser({ log: createLog('test', 'silent'), dataDir })
  const first = await browser.get()
  await browser.kill(first)
  t.false(first.isConnected())
  const second = await browser.get()
  t.true(second.isConnected())
  t.is(await browser.get(), second)
  await browser.close()
  t.false(second.isConnected())
  await t.throwsAsync(browser.get(), { message: 'The baker is closed' })
  await rm(dataDir, { recursive: true, force: true })
})
