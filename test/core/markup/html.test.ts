import test from 'ava'
import { cleanHtml, htmlFaults, readHtml } from '../../../core/markup/html.ts'
import { placedPictures, placePictures } from '../../../core/markup/placed-pictures.ts'

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('markup of the allowed tags comes through as it was', (t) => {
  const html = `<div style="display:flex;gap:8px"><span class="a">A &amp; B</span><br><b>x</b></div><ul><li>1</li></ul><img src="${pixel}" alt="dot">`
  t.deepEqual(htmlFaults(html), [])
  t.is(cleanHtml(html), html)
})

test('an inline SVG with a gradient comes through with its ids', (t) => {
  const html =
    '<svg viewBox="0 0 10 10"><defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs><rect fill="url(#g)" width="10" height="10"/></svg>'
  t.deepEqual(htmlFaults(html), [])
  t.true(cleanHtml(html).includes('fill="url(#g)"'))
})

/** Refused markup, a part of the message, and text that the clean markup may not hold. */
const refused = [
  ['<script>alert(1)</script>', '<script> is not allowed', 'alert'],
  ['<ScRiPt src=//x>alert(1)</sCrIpT >', '<script> is not allowed', 'alert'],
  ['<style>*{color:red}</style>', '<style> is not allowed', 'color'],
  ['<iframe srcdoc="<b>"></iframe>', '<iframe> is not allowed', 'iframe'],
  ['<a href="https://x.y">a</a>', '<a> is not allowed', 'href'],
  ['<p onclick="x()">a</p>', 'Event attributes are not allowed. Got onclick in <p>', 'onclick'],
  ['<p/onmouseover=x>a', 'Event attributes', 'onmouseover'],
  ['<svg><path onload=x /></svg>', 'Event attributes', 'onload'],
  ['<img src="//cdn.example.com/a.png">', 'is a public http(s) URL, or a base64 data: URI', 'cdn'],
  ['<img src="logo.png">', 'Got logo.png', 'logo'],
  ['<img src="file:///etc/passwd">', 'Got file:///etc/passwd', 'passwd'],
  ['<img src="farm-picture:0">', 'Got farm-picture:0', 'farm'],
  ['<span src="https://example.com/a.png">', 'Only <img> may have src', 'example'],
  ['<img src="data:image/svg+xml;base64,PHN2Zz4=">', 'base64 data: URI of a png', 'svg'],
  ['<img src="data:image/png;base64,AAAA">', 'holds a png, jpeg, webp or gif', 'AAAA'],
  ['<img srcset="http://x/a.png">', 'give <img> a src in place of srcset', 'srcset'],
  ['<img sizes="100vw">', 'give <img> a src in place of sizes', 'sizes'],
  ['<picture><b>x</b></picture>', 'give <img> a src in place of <picture>', 'picture'],
  ['<source srcset="https://x.y/a.webp">', 'give <img> a src in place of <source>', 'x.y'],
  ['<svg><image href="https://x.y/a.png"/></svg>', '<image> is not allowed in HTML', 'x.y'],
  ['<div style="background:url(http://x/y)">', 'url() may only name', 'http'],
  ['<div style="background:u\\72l(http://x/y)">', 'url() may only name', 'http'],
  ['<div style="background:&#117;rl(http://x/y)">', 'url() may only name', 'http'],
  ['<div style="--a:image-set(\'x\' 1x)">', 'CSS may not contain image-set(', 'image'],
  ['<svg><use href="#a"/></svg>', '<use> is not allowed in HTML', 'use'],
  [
    '<svg><foreignObject><p>x</p></foreignObject></svg>',
    '<foreignobject> is not allowed',
    'foreign',
  ],
  ['<svg><div>x</div></svg>', '<div> may not stand inside <svg>', 'div'],
  ['<path d="M0 0"/>', '<path> may only stand inside <svg>', 'path'],
  ['<!DOCTYPE html><p>x</p>', 'no doctype', 'DOCTYPE'],
  ['<svg><![CDATA[<script>]]></svg>', 'CDATA', 'script'],
] as const

for (const [html, message, gone] of refused) {
  test(`${html} is refused`, (t) => {
    const faults = htmlFaults(html)
    t.true(
      faults.some((fault) => fault.includes(message)),
      faults.join('\n'),
    )
    t.false(cleanHtml(html).toLowerCase().includes(gone.toLowerCase()), cleanHtml(html))
  })
}

test('the text inside a tag that is not allowed stays', (t) => {
  t.is(cleanHtml('<h1>Big <b>news</b></h1>'), 'Big <b>news</b>')
})

test('an open element is closed where its parent closes', (t) => {
  t.is(cleanHtml('<div><b>a</div>b</i><p>c<p>d'), '<div><b>a</b></div>b<p>c</p><p>d</p>')
})

test('a sign that opens no tag is text', (t) => {
  t.deepEqual(htmlFaults('1 < 2 && 3 > 2 <'), [])
  t.is(cleanHtml('1 < 2 <'), '1 &lt; 2 &lt;')
})

test('comments are left out without a fault', (t) => {
  t.deepEqual(htmlFaults('a<!-- <script> -->b'), [])
  t.is(cleanHtml('a<!-- <script> -->b'), 'ab')
})

test('cleaning what is clean changes nothing', (t) => {
  for (const [html] of refused) t.is(cleanHtml(cleanHtml(html)), cleanHtml(html))
})

test('markup over its length, depth or tag limit is refused and bounded', (t) => {
  t.regex(htmlFaults('a'.repeat(200_001)).join(), /at most 200000 characters. Got 200001/)
  t.regex(htmlFaults('<div>'.repeat(100_000)).join(), /nested at most 128 deep/)
  t.regex(htmlFaults('<br>'.repeat(10_001)).join(), /at most 10000 elements/)
  t.true(cleanHtml('<div>'.repeat(100_000)).length < 128 * 12)
})

test('pictures by URL are told once each, as browsers read their URLs', (t) => {
  const html =
    '<img src="https://a.b/1.png?x=1&amp;y=2"><p><img src=\n"  https://a.b/2.png\n" width="9"></p>' +
    "<img src='https://a.b/1.png?x=1&y=2'><img src=HTTP://a.b/3>"
  t.deepEqual(readHtml(html), {
    faults: [],
    pictures: ['https://a.b/1.png?x=1&y=2', 'https://a.b/2.png', 'HTTP://a.b/3'],
  })
})

test('a picture by URL becomes a digest, the only form nodes take', (t) => {
  const url = 'https://a.b/1.png?x=1&y=2'
  const placed = placePictures(`<p>a<img class="l" src="${url}" width=9>`, (seen) =>
    seen === url ? 'f00d' : undefined,
  )
  t.is(placed, '<p>a<img class="l" src="farm-picture:f00d" width="9"></p>')
  const known = placedPictures((digest) =>
    digest === 'f00d' ? { crossorigin: 'anonymous', srcset: 'https://p/f00d 0.5x' } : undefined,
  )
  t.deepEqual(htmlFaults(placed, known), [])
  t.is(
    cleanHtml(placed, known),
    '<p>a<img class="l" crossorigin="anonymous" srcset="https://p/f00d 0.5x" width="9"></p>',
  )
  for (const other of [url, 'farm-picture:beef', 'https://p/f00d']) {
    t.is(htmlFaults(`<img src="${other}">`, known).length, 1, other)
    t.is(cleanHtml(`<img src="${other}">`, known), '<img>')
  }
})

/** Each costs a parser seconds, or its stack, when time is not linear in the source. */
const bombs = [
  '<div>'.repeat(40_000),
  '<svg>'.repeat(40_000),
  `<p ${Array.from({ length: 40_000 }, (_, i) => String.fromCharCode(0x4e00 + (i % 20_000)) + i).join(' ')}>`,
  '<b a=1><p>'.repeat(20_000),
  '<a x="'.repeat(33_000),
  `<p style="${'a:('.repeat(60_000)}">`,
  `<p style="${'a{'.repeat(90_000)}">`,
  '<!--'.repeat(50_000),
  '<'.repeat(200_000),
  '&'.repeat(200_000),
  '</p'.repeat(60_000),
  `${'<script>'.repeat(20_000)}`,
]

test('no markup costs the event loop more than a moment', (t) => {
  for (const bomb of bombs) {
    const start = process.cpuUsage()
    t.true(cleanHtml(bomb).length <= 800_000)
    htmlFaults(bomb)
    const { user, system } = process.cpuUsage(start)
    // Linear takes some 50 ms; the cap guards against many seconds.
    t.true(user + system < 2_000_000, `${bomb.slice(0, 20)}: ${(user + system) / 1000} ms`)
  }
})

test('markup with unreadable styles is refused, wherever they stand in it', (t) => {
  const broken = '<b style="();()">x</b>'
  t.deepEqual(htmlFaults(broken.repeat(50)), [])
  t.deepEqual(htmlFaults(broken.repeat(51)), [
    'CSS may hold at most 100 declarations that cannot be read',
  ])
})

test('markup ending inside a tag is refused, not cut without a word', (t) => {
  for (const [html, seen] of [
    ['x<b', '<b'],
    ['<p>a</p><script', '<script'],
    ['<p>a<span style="color:red>b</span>', '<span style="color:red>b</span>'],
    ['a<!-- b', '<!-- b'],
  ] as const) {
    t.deepEqual(htmlFaults(html), [`HTML may not end inside a tag. Got ${seen}`])
  }
  t.deepEqual(htmlFaults('1 <2, a< b & <p>c'), [])
})
