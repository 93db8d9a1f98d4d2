import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { readRequest } from '../../../core/project/read.ts'
import { resolveRequest } from '../../../core/project/resolve.ts'
import { faultsOf, image, outcomeOf, resolved } from './outcome.ts'

const logo = 'https://cdn.example.com/logo.png'
const textOf = (html: string) => ({ type: 'TEXT', html })
const urlsOf = (visuals: readonly object[]) =>
  visuals.map((visual) => ('pictures' in visual ? visual.pictures : undefined))

test('a text by html has its pictures’ URLs, or none without pictures', (t) => {
  const html = `<b>Us</b><img src="${logo}"><img src="${logo}"><img src="https://a.example/b">`
  const { project } = resolved({ visuals: [textOf(html), textOf('<b>Us</b>'), image] })
  t.deepEqual(urlsOf(project.visuals), [[logo, 'https://a.example/b'], undefined, undefined])
})

test('variables fill a picture’s URL, also in each clone of a scene', (t) => {
  const scene = {
    ...{ id: 'card', duration: 1, iterate: 'people', iterateAs: 'who' },
    visuals: [textOf('<img src="{{ who.face }}"><img src="https://{{ host }}/logo.png">')],
  }
  const people = [{ face: 'https://a.example/1.png' }, { face: 'https://a.example/2.png' }]
  const { project } = resolved({ variables: { people, host: 'cdn.example.com' }, scenes: [scene] })
  t.deepEqual(
    project.scenes.flatMap(({ visuals }) => urlsOf(visuals)),
    [
      ['https://a.example/1.png', logo],
      ['https://a.example/2.png', logo],
    ],
  )
})

for (const [url, rule] of [
  ['http://127.0.0.1/a.png', /private and unusual addresses are refused/],
  ['http://169.254.169.254/latest', /private and unusual addresses are refused/],
  ['https://user:pass@example.com/a.png', /without user name and password/],
  ['https://example.com:8443/a.png', /on port 80 or 443/],
  ['https://example.com/a b.png', /without spaces/],
  ['https://printer.local/a.png', /of a public host/],
  [`https://example.com/${'a'.repeat(2_048)}`, /1 to 2048 characters/],
] as const) {
  test(`the URL of a picture keeps the rule of media: ${url.slice(0, 60)}`, (t) => {
    for (const visual of [
      textOf(`<p><img src="${url}"></p>`),
      textOf('<p><img src="{{ url }}"></p>'),
    ]) {
      const faults = faultsOf({ visuals: [image, visual] }, { variables: { url } })
      t.is(faults.length, 1)
      t.regex(faults[0] ?? '', /^visuals\[1\]\.html: The src of <img> must be a URL /)
      t.regex(faults[0] ?? '', rule)
    }
  })
}

test('a trusted host holds for pictures in html as for other media', (t) => {
  const visuals = [textOf('<img src="http://127.0.0.1:8123/a.png">')]
  const read = readRequest({ payload: { visuals } })
  if ('faults' in read) return t.fail()
  const trusting = (trustedHosts: string[]) =>
    resolveRequest(read.request, plans.free, { trustedHosts })
  t.true('project' in trusting(['127.0.0.1:8123']))
  t.true('faults' in trusting(['127.0.0.1:8124']))
})

test('srcset, picture, and pictures of CSS and of SVG stay refused', (t) => {
  for (const [html, rule] of [
    [`<img srcset="${logo} 2x">`, 'A picture has one source: give <img> a src in place of srcset.'],
    [
      `<picture><img src="${logo}"></picture>`,
      'A picture has one source: give <img> a src in place of <picture>.',
    ],
    [`<svg><image href="${logo}"/></svg>`, '<image> is not allowed in HTML.'],
  ] as const) {
    t.deepEqual(faultsOf({ visuals: [textOf(html)] }), [`visuals[0].html: ${rule}`])
  }
  t.regex(
    faultsOf({ visuals: [textOf(`<b style="background:url(${logo})">x</b>`)] }).join(),
    /url\(\) may only name an element of the same picture/,
  )
})

test('html pictures count as the plan’s visuals, each URL once an element', (t) => {
  const many = (count: number) =>
    textOf(Array.from({ length: count }, (_, i) => `<img src="${logo}?${i}">`).join(''))
  t.is(outcomeOf({ payload: { visuals: [many(49)] } }).faults.length, 0)
  const { faults } = outcomeOf({ payload: { visuals: [many(49), image] } })
  t.like(faults[0], { field: 'visuals', code: 'plan_limit' })
  t.regex(
    faults[0]?.message ?? '',
    /<= 50 visuals on this plan. Got 51, 49 of them pictures in html/,
  )
  t.is(
    outcomeOf({ payload: { visuals: [textOf(`<img src="${logo}">`.repeat(200))] } }).faults.length,
    0,
  )
})
