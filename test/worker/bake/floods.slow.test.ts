import test from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import type { BakeDocument } from '../../../core/queue/tasks.ts'
import { bakeOne, bakerFor, html, never, svg } from './baking.ts'

const baker = bakerFor(test)
const field = 'scenes[2].visuals[1]'

const drawing = (inside: string, edge = 4_000) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${edge} ${edge}" width="4000" height="4000">${inside}</svg>`
const blur = '<filter id="f"><feGaussianBlur stdDeviation="300"/></filter>'
const share = '<feMorphology operator="dilate" radius=".5"/>'

const floods: [what: string, document: BakeDocument, message: RegExp][] = [
  [
    'a wide div with an endless blur',
    html('<div style="width:2000px;height:2000px;background:#456;filter:blur(5000px)"></div>'),
    /within 8 s\. These would take some \d+ s, most of it for blur/,
  ],
  [
    'a blur in other units, by its style',
    html('<div style="width:2000px;height:2000px">x</div>', { style: { filter: 'blur(30em)' } }),
    /most of it for blur/,
  ],
  [
    'a hundred blurs on each other',
    html(
      `<div style="position:relative;width:999px;height:999px">${'<p style="position:absolute;inset:0;filter:blur(90px)">x</p>'.repeat(100)}</div>`,
    ),
    /most of it for blur/,
  ],
  [
    'a text with a shadow for each of a hundred lines',
    html(
      `<p style="text-shadow:${Array(99).fill('0 0 300px red').join(',')}">${'wide words<br>'.repeat(30)}</p>`,
    ),
    /most of it for text-shadow/,
  ],
  [
    'a small viewBox that makes a small number large',
    svg(
      drawing(
        '<filter id="f"><feMorphology radius="1"/></filter><path filter="url(#f)" d="M0 0h9v9z"/>',
        10,
      ),
    ),
    /most of it for feMorphology/,
  ],
  [
    'a radius in shares of the box',
    svg(
      drawing(
        `<filter id="f" primitiveUnits="objectBoundingBox">${share}</filter><rect width="4000" height="4000" filter="url(#f)"/>`,
      ),
    ),
    /most of it for feMorphology/,
  ],
  [
    'a tiny element with a region as large as the picture',
    svg(
      drawing(
        `<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="4000" height="4000">${'<feTurbulence numOctaves="9"/>'}</filter><path d="M0 0h1v1z" filter="url(#f)"/>`,
      ),
    ),
    /most of it for feTurbulence/,
  ],
  [
    'a filter in a mask',
    svg(
      drawing(
        `${blur}<mask id="m"><rect width="4000" height="4000" fill="#fff" filter="url(#f)"/></mask><rect width="4000" height="4000" mask="url(#m)"/>`,
      ),
    ),
    /most of it for feGaussianBlur/,
  ],
  [
    'a filter in a group that is used often',
    svg(
      drawing(
        `${blur}<defs><g id="g"><rect width="900" height="900" filter="url(#f)"/></g></defs>${'<use href="#g"/>'.repeat(40)}`,
      ),
    ),
    /most of it for feGaussianBlur/,
  ],
  [
    'a letter under a hundred thousand accents',
    html(`<p>a${'\u0301'.repeat(100_000)}</p>`),
    /within 1 s\. These 100001 characters would take some 653 s, most of it for marks on one letter/,
  ],
  [
    'a book in Thai',
    html(`<p>${'สวัสดีชาวโลก'.repeat(16_000)}</p>`),
    /most of it for other characters/,
  ],
  [
    'a line that turns its direction at each letter',
    svg(drawing(`<text y="50">${'a\u05d0'.repeat(90_000)}</text>`)),
    /most of it for turns of direction/,
  ],
]

for (const [what, document, message] of floods) {
  test(`${what} is refused before it is painted`, async (t) => {
    const error = await t.throwsAsync<FarmError>(baker().bake([{ ...document, field }], never))
    t.is(error?.code, 'element_invalid')
    t.is(error?.field, field)
    t.regex(error?.message ?? '', message)
  })
}

test('usual effects are painted: grain, glowing blobs, many soft shadows', async (t) => {
  const full = 'width="1080" height="1920"'
  const grain = `<svg xmlns="http://www.w3.org/2000/svg" ${full}><filter id="n"><feTurbulence baseFrequency=".8" numOctaves="4"/><feColorMatrix type="saturate" values="0"/></filter><rect ${full} filter="url(#n)" opacity=".2"/></svg>`
  const blob =
    '<div style="width:500px;height:500px;border-radius:50%;background:#f0f;filter:blur(100px)"></div>'
  const card =
    '<div style="width:90px;height:90px;background:#fff;filter:drop-shadow(0 9px 20px #0008)"></div>'
  const glow = '<p style="text-shadow:0 0 10px #0ff,0 0 40px #0ff,0 0 120px #0ff">Neon</p>'
  t.is((await bakeOne(baker(), svg(grain))).inkWidth, 1080)
  t.true((await bakeOne(baker(), html(blob.repeat(3)))).inkWidth > 700)
  t.true((await bakeOne(baker(), html(card.repeat(20)))).inkHeight > 1800)
  t.true((await bakeOne(baker(), html(glow))).inkHeight > 100)
})
