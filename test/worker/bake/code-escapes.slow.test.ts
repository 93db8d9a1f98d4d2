import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createLog } from '../../../runtime/log.ts'
import { type Baker, createBaker } from '../../../worker/bake/baker.ts'
import { createSandbox } from '../../../worker/process/sandbox.ts'
import { bakeOne, factsOf } from './baking.ts'
import { coded } from './coded.ts'

let server: Server
let origin = ''
let hits = 0
let dataDir = ''
/**
 * Bakers without and with the fence; without it, every request that leaves the browser is counted.
 */
let open: Baker
let fenced: Baker

test.before(async () => {
  server = createServer((_, response) => {
    hits += 1
    response.end('out')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`
  dataDir = await mkdtemp(join(tmpdir(), 'farm-code-'))
  // Long limits, so that the code ends even on a busy machine.
  const codeLimits = { secondsEach: 4, secondsFirst: 60, memoryBytes: 2 ** 30 }
  const common = { log: createLog('test', 'silent'), dataDir, codeLimits }
  open = createBaker(common)
  fenced = createBaker({ ...common, sandbox: await createSandbox('auto') })
})

test.after.always(async () => {
  await Promise.all([open?.close(), fenced?.close()])
  server?.close()
  await rm(dataDir, { recursive: true, force: true })
})

/**
 * Attempts that let the page go on; each is a statement in a function of its own. `H`: the server.
 */
const quiet: readonly string[] = [
  'return fetch("http://H/fetch")',
  'fetchLater("http://H/fetch-later")',
  'const x = new XMLHttpRequest(); x.open("GET", "http://H/xhr", false); x.send()',
  'new WebSocket("ws://H/ws")',
  'new WebSocketStream("ws://H/wss")',
  'new EventSource("http://H/es")',
  'new WebTransport("https://H/wt")',
  'navigator.sendBeacon("http://H/beacon", "x")',
  'const p = new RTCPeerConnection({iceServers:[{urls:"stun:H"}]}); p.createDataChannel("a"); p.createOffer().then(o => p.setLocalDescription(o))',
  'new Image().src = "http://H/image"',
  'add("img", {srcset: "http://H/srcset 1x"})',
  'document.body.style.backgroundImage = "url(http://H/background)"',
  'document.body.style.cursor = "url(http://H/cursor), auto"',
  'add("style", {textContent: "@import \\"http://H/import.css\\";"})',
  'add("style", {textContent: "@font-face{font-family:z;src:url(http://H/z.woff2)} body{font-family:z}"})',
  'return new FontFace("y", "url(http://H/y.woff2)").load()',
  'add("link", {rel: "stylesheet", href: "http://H/l.css"})',
  'add("link", {rel: "prefetch", href: "http://H/prefetch"})',
  'add("link", {rel: "preload", as: "image", href: "http://H/preload"})',
  'add("link", {rel: "modulepreload", href: "http://H/modulepreload"})',
  'add("link", {rel: "preconnect", href: "http://H"})',
  'add("link", {rel: "dns-prefetch", href: "http://H"})',
  'add("link", {rel: "icon", href: "http://H/icon"})',
  'add("link", {rel: "manifest", href: "http://H/manifest"})',
  'add("script", {src: "http://H/script.js"})',
  'add("script", {type: "module", textContent: "import \\"http://H/m.js\\""})',
  'add("script", {type: "speculationrules", textContent: "{\\"prefetch\\":[{\\"urls\\":[\\"http://H/s\\"]}]}"})',
  'return import("http://H/dynamic.js")',
  'return import("data:text/javascript,1")',
  'add("iframe", {src: "http://H/iframe"})',
  'add("iframe", {srcdoc: "<img src=http://H/srcdoc>"})',
  'add("iframe", {src: "javascript:fetch(\'http://H/js-iframe\')"})',
  'const f = add("iframe", {}); return f.contentWindow.fetch("http://H/blank-iframe")',
  'const f = add("iframe", {}); return new f.contentWindow.Date().getTime()',
  'const f = add("iframe", {}); return f.contentWindow.eval("Date.now()")',
  'add("object", {data: "http://H/object"})',
  'add("embed", {src: "http://H/embed"})',
  'add("video", {src: "http://H/video", autoplay: true})',
  'add("audio", {src: "http://H/audio", autoplay: true})',
  'add("video", {poster: "http://H/poster"})',
  'document.body.insertAdjacentHTML("beforeend", "<svg><use href=http://H/u.svg#a /><image href=http://H/i.png /></svg>")',
  'document.body.insertAdjacentHTML("beforeend", "<svg><foreignObject><img src=http://H/f></foreignObject></svg>")',
  'document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=fetch(`http://H/onerror`)>")',
  'window.open("http://H/open")',
  'new Worker("http://H/worker.js")',
  'new Worker(URL.createObjectURL(new Blob(["fetch(\'http://H/blob-worker\')"])))',
  'new SharedWorker("data:text/javascript,fetch(`http://H/shared`)")',
  'return navigator.serviceWorker.register("http://H/sw.js")',
  'return CSS.paintWorklet.addModule("http://H/worklet.js")',
  'return new AudioContext().currentTime',
  'localStorage.setItem("a", "1"); return localStorage.a',
  'sessionStorage.setItem("a", "1"); return sessionStorage.a',
  'return indexedDB.open("a")',
  'return caches.open("a")',
  'document.cookie = "a=1"; return document.cookie',
  'return cookieStore.set("a", "1")',
  'return navigator.storage.getDirectory()',
  'new BroadcastChannel("a").postMessage("x")',
  'alert(1)',
  'return confirm("x")',
  'return prompt("x")',
  'print()',
  'return document.body.requestFullscreen()',
  'return navigator.clipboard.readText()',
  'document.execCommand("copy")',
  'navigator.geolocation.getCurrentPosition(() => 0)',
  'return Notification.requestPermission()',
  'return new SharedArrayBuffer(8)',
  'return new WebAssembly.Memory({initial: 1, maximum: 2, shared: true}).buffer',
  'return [performance.now(), performance.timeOrigin, performance.getEntries()]',
  'return document.timeline.currentTime',
  'return new Event("a").timeStamp',
  'return [Date.now(), new Date().getTime(), Date(), new Date().constructor.now()]',
  'return Intl.DateTimeFormat("en", {fractionalSecondDigits: 3, second: "numeric"}).format()',
  'return document.lastModified + new File([], "a").lastModified',
  'return crypto.randomUUID()',
  'return Math.random()',
  'return URL.createObjectURL(new Blob(["a"]))',
  'return [navigator.hardwareConcurrency, navigator.deviceMemory, navigator.connection]',
  'return Object.keys(globalThis.farm ?? globalThis.farmClock ?? {})',
  'return new Function("return 1")()',
  'return eval("1")',
  'setTimeout("fetch(`http://H/timeout`)", 0)',
  'history.pushState({}, "", "#a"); return history.length',
  'debugger',
  'return [parent === window, top === window, opener, frameElement]',
  'new PerformanceObserver(() => 0).observe({type: "longtask"})',
  'return new WeakRef({}).deref()',
  'requestIdleCallback(d => word.append(d.timeRemaining()))',
  'const c = new MessageChannel(); let n = 0; c.port1.onmessage = () => { n++ < 5000 ? c.port2.postMessage(0) : word.append(n) }; c.port2.postMessage(0)',
  'Object.prototype.set = Object.prototype.data = Object.prototype.toJSON = () => "polluted"',
  'Array.prototype.map = Array.prototype.push = Function.prototype.call = Reflect.apply = () => { throw 1 }',
  'JSON.parse = JSON.stringify = Promise.prototype.then = () => "polluted"',
]

const add =
  "const add = (name, given) => document.body.appendChild(Object.assign(document.createElement(name), given, { style: 'display:none' }));"

const chorus = (tries: readonly string[]) =>
  `const word = document.querySelector('.word');
  const said = [];
  ${add}
  ${tries.map((each) => `try { const r = (() => { ${each} })(); if (r && r.catch) r.catch(() => 0); else said[said.length] = String(r) } catch (e) { said[said.length] = e.name }`).join('\n')}
  word.textContent = said.join(' ').slice(0, 2000);`
    .replaceAll('//H', `//${origin}`)
    .replaceAll('stun:H', `stun:${origin}`)

test.serial('more than sixty ways out lead nowhere and leave the same pixels', async (t) => {
  t.true(quiet.length >= 60)
  await fetch(`http://${origin}/`)
  t.is(hits, 1, 'the server counts')
  hits = 0
  const first = await bakeOne(open, coded({ js: chorus(quiet) }))
  const second = await bakeOne(open, coded({ js: chorus(quiet) }))
  t.deepEqual(factsOf(second), factsOf(first))
  const third = await bakeOne(fenced, coded({ js: chorus(quiet) }))
  t.deepEqual(factsOf(third), factsOf(first))
  t.is(hits, 0)
})

const left = 'customCode must stay on its page. It left it.'

const leaving: readonly (readonly [string, string | undefined])[] = [
  ['location = "http://H/location"', left],
  ['location.reload()', left],
  ['location = "about:blank"', left],
  ['setTimeout(() => location.reload(), 200)', left],
  ['location.hash = "#a"', undefined],
  [
    'document.body.insertAdjacentHTML("beforeend", "<meta http-equiv=refresh content=\'0;url=http://H/refresh\'>")',
    left,
  ],
  ['const f = add("form", {action: "http://H/form", method: "post"}); f.submit()', undefined],
  [
    'const a = add("a", {href: "http://H/ping", ping: "http://H/ping"}); a.target = "_blank"; a.click()',
    undefined,
  ],
  ['const a = add("a", {href: "http://H/ping", ping: "http://H/ping"}); a.click()', left],
  ['const a = add("a", {href: "http://H/download", download: "x"}); a.click()', left],
]

for (const [js, message] of leaving) {
  test.serial(`${js} leads nowhere`, async (t) => {
    const document = coded({ js: `${add}${js}`.replaceAll('//H', `//${origin}`) })
    const baking = bakeOne(open, document)
    if (message === undefined) t.true((await baking).inkWidth > 10)
    else {
      const field = 'scenes[1].visuals[2].customCode'
      t.like(await t.throwsAsync(baking), { code: 'element_invalid', field, message })
    }
    t.is(hits, 0)
  })
}
