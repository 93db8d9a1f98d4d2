import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { FarmError } from '../../../core/errors.ts'
import { createLog } from '../../../runtime/log.ts'
import { type Baker, createBaker } from '../../../worker/bake/baker.ts'
import type { BakedPicture } from '../../../worker/bake/paint.ts'
import { bakeOne, factsOf, html } from './baking.ts'

let server: Server
let origin = ''
let hits = 0
let dataDir = ''
let baker: Baker

test.before(async () => {
  server = createServer((_, response) => {
    hits += 1
    response.end('out')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`
  dataDir = await mkdtemp(join(tmpdir(), 'farm-code-'))
  const codeLimits = { secondsEach: 4, secondsFirst: 20, memoryBytes: 2 ** 30 }
  baker = createBaker({ log: createLog('test', 'silent'), dataDir, codeLimits })
})

test.after.always(async () => {
  await baker?.close()
  server?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const coded = (code: { css?: string; js?: string; duration?: number; frameRate?: number }) =>
  html('<b class="word">word</b>', {
    style: { fontSize: '30px', color: '#d02020' },
    field: 'scenes[1].visuals[2]',
    code: { css: '', js: '', duration: 0.2, frameRate: 10, ...code },
  })

/** Tries that go on with the page; each is a statement in a function of its own. `H`: the server. */
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

const tried = (js: string) =>
  `${add}${js}`.replaceAll('//H', `//${origin}`).replaceAll('stun:H', `stun:${origin}`)

const chorus = (tries: readonly string[]) =>
  `const word = document.querySelector('.word');
  const said = [];
  ${tries.map((each) => `try { const r = (() => { ${each} })(); if (r && r.catch) r.catch(() => 0); else said[said.length] = String(r) } catch (e) { said[said.length] = e.name }`).join('\n')}
  word.textContent = said.join(' ').slice(0, 2000);`
    .replaceAll('//H', `//${origin}`)
    .replaceAll('stun:H', `stun:${origin}`)

test('more than sixty ways out lead nowhere and leave the same pixels', async (t) => {
  t.true(quiet.length >= 60)
  await fetch(`http://${origin}/`)
  t.is(hits, 1, 'the server counts')
  hits = 0
  const first = await bakeOne(baker, coded({ js: tried(chorus(quiet)) }))
  const second = await bakeOne(baker, coded({ js: tried(chorus(quiet)) }))
  t.deepEqual(factsOf(second), factsOf(first))
  t.is(hits, 0)
  t.deepEqual(
    await readdir(join(dataDir, 'browser')).then((all) =>
      all.filter((name) => name.startsWith('own-')),
    ),
    [],
  )
})

const loud: readonly (readonly [string, RegExp])[] = [
  ['location = "http://H/location"', /./],
  ['location.reload()', /./],
  ['location = "about:blank"', /must stay on its page/],
  [
    'document.body.insertAdjacentHTML("beforeend", "<meta http-equiv=refresh content=\'0;url=http://H/refresh\'>")',
    /must stay on its page/,
  ],
  [
    'const f = add("form", {action: "http://H/form", method: "post"}); f.submit()',
    /must stay on its page/,
  ],
  [
    'const a = add("a", {href: "http://H/ping", ping: "http://H/ping"}); a.target = "_blank"; a.click()',
    /must stay on its page/,
  ],
  [
    'const a = add("a", {href: "http://H/download", download: "x"}); a.click()',
    /must stay on its page/,
  ],
  ['while (true) {}', /painted within/],
  ['const a = []; while (true) a.push(new Uint8Array(1e8).fill(1))', /memory|allocation failed/],
  ['const a = []; while (true) a.push({a: new Array(1e4).fill(1.5)})', /memory/],
  ['(', /customCode.js must run/],
  ['throw new Error("mine")', /Got Error: mine/],
]

for (const [js, message] of loud) {
  test(`${js} ends in an error that names the code, or in a picture`, async (t) => {
    const document = coded({ js: tried(js) })
    const ended = await bakeOne(baker, document).catch((error: unknown) => error)
    if (ended instanceof FarmError) {
      t.is(ended.code, 'element_invalid')
      t.regex(ended.field ?? '', /^scenes\[1\]\.visuals\[2\]\.customCode/)
      t.regex(ended.message, message)
    } else t.true((ended as BakedPicture).inkWidth > 10)
    t.is(hits, 0)
  })
}

test('clocks, frames, timers and animations follow the moments, and the last is held', async (t) => {
  const css =
    '@keyframes go { to { width: 100px } } .word { display: block; overflow: hidden; height: 10px; background: #00f; width: 0; animation: go 1s linear both }'
  const { png, moments } = await bakeOne(baker, coded({ css, duration: 1, frameRate: 4 }))
  t.is(moments?.order.length, 5)
  t.deepEqual(
    moments?.order.map((at) => moments.pictures[at]?.inkWidth),
    [1, 25, 50, 75, 100],
  )
  const last = moments?.pictures.at(-1)
  const part = png.subarray(last?.offset, (last?.offset ?? 0) + (last?.bytes ?? 0))
  t.is((await sharp(part).metadata()).width, 100)
})
