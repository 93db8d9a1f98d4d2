import test from 'ava'
import { cleanSvg, svgFaults } from '../../../core/markup/svg.ts'

test('a drawing with gradients, filters, masks, text and style sheet comes through', (t) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">
    <title>t</title><metadata><rdf:RDF xmlns:rdf="x"/></metadata>
    <style><![CDATA[.a{fill:url(#g)} #b > rect { opacity: .5 }]]></style>
    <defs><linearGradient id="g"><stop offset="0" style="stop-color:red"/></linearGradient>
    <filter id="f"><feGaussianBlur stdDeviation="2"/></filter><clipPath id="c"><rect width="9" height="9"/></clipPath></defs>
    <g id="b" filter="url(#f)" inkscape:label="x"><rect class="a" width="10" height="10"/></g>
    <use xlink:href="#b" x="5"/></svg>`
  t.deepEqual(svgFaults(svg), [])
  const clean = cleanSvg(svg)
  t.true(clean.includes('.a{fill:url(#g)}'))
  t.true(clean.includes('xlink:href="#b"'))
  t.false(/title|metadata|inkscape|CDATA/.test(clean), clean)
})

const inside = (content: string) => `<svg viewBox="0 0 9 9">${content}</svg>`

const refused = [
  ['<div></div>', 'must start with <svg'],
  ['<?xml version="1.0"?><svg/>', 'must start with <svg'],
  [inside('<script>x</script>'), '<script> is not allowed'],
  [inside('<foreignObject/>'), '<foreignobject> is not allowed'],
  [inside('<iframe/>'), '<iframe> is not allowed'],
  [inside('<image href="http://x/y.png"/>'), '<image> is not allowed'],
  [inside('<image href="data:image/png;base64,AA"/>'), '<image> is not allowed'],
  [inside('<use href="http://x/y.svg#a"/>'), 'href may only name'],
  [inside('<use xlink:href="data:image/svg+xml,x"/>'), 'href may only name'],
  [inside('<a href="javascript:x"><path/></a>'), 'href may only name'],
  [inside('<rect fill="url(http://x/y#a)"/>'), 'url() may only name'],
  [inside('<rect style="fill:url(//x)"/>'), 'url() may only name'],
  [inside('<rect onload="x"/>'), 'Event attributes'],
  [inside('<animate attributeName="x"/>'), 'painted as a still: <animate>'],
  [inside('<set attributeName="href"/>'), 'painted as a still: <set>'],
  [inside('<style>@import "x";</style>'), 'may not hold @import'],
  [inside('<style>a{b:url(http://x)}</style>'), 'url() may only name'],
  [inside('<!DOCTYPE x [<!ENTITY a "b">]>'), 'no doctype, entity'],
  [`${inside('')}<p>x</p>`, 'Nothing may follow </svg>'],
  ['<svg></svg><script>x</script>', 'Nothing may follow </svg>. Got <script>'],
  ['<svg></svg><iframe src=x></iframe>', 'Nothing may follow </svg>. Got <iframe>'],
  ['<svg></svg><svg></svg>', 'Nothing may follow </svg>. Got <svg>'],
  ['<svg></svg></g>', 'Got </g>, but no tag is open'],
  ['<svg></svg><!DOCTYPE x>', 'no doctype'],
  [inside('<!x>'), 'no doctype'],
  ['<svg><rect width="10"', 'SVG may not end inside a tag. Got <rect width="10"'],
  ['<svg><rect width="10/></svg>', 'SVG may not end inside a tag'],
  ['<svg></svg><!-- a', 'SVG may not end inside a tag. Got <!-- a'],
  ['<svg><g>', 'Every tag of an SVG must be closed. Got <g> without its end tag'],
  ['<svg><style>a{}', 'Every tag of an SVG must be closed. Got <svg>'],
  [inside('<g>'), 'must close the last open tag. Got </svg>, but <g> is open'],
  [inside('<g><a></g></a>'), 'Got </g>, but <a> is open'],
  ['<svg bogus="1"></svg>', 'The attribute bogus is not allowed in <svg>'],
  [inside('<rect strokeWidth="2"/>'), 'The attribute strokewidth is not allowed in <rect>'],
  [inside('<g xml:base="a"/>'), 'The attribute xml:base is not allowed in <g>'],
  [inside('<text>a&foo;b</text>'), 'An SVG may only name known characters. Got &foo;'],
  [inside('<g id="&foo;"/>'), 'An SVG may only name known characters. Got &foo;'],
  ['<svg width="4097"></svg>', 'at most 4096. Got width 4097'],
  ['<svg height="2000mm"></svg>', 'at most 4096. Got height 2000mm'],
  ['<svg viewBox="0 0 9 5000"></svg>', 'Got viewBox 0 0 9 5000'],
] as const

for (const [svg, message] of refused) {
  test(`${svg} is refused`, (t) => {
    const faults = svgFaults(svg)
    t.true(
      faults.some((fault) => fault.includes(message)),
      faults.join('\n'),
    )
    t.notRegex(cleanSvg(svg), /http|onload|script|data:|import|animate|<set|ENTITY|<p>/)
  })
}

/** Ten levels, each naming the level below ten times. */
function levels(reference: (id: string) => string): string {
  const groups = Array.from({ length: 10 }, (_, level) => {
    const content = level === 0 ? '<path/>' : reference(`l${level - 1}`).repeat(10)
    return `<pattern id="l${level}">${content}</pattern>`
  })
  return inside(`${groups.join('')}${reference('l9')}`)
}

test('references that multiply are refused, in attributes and in style sheets', (t) => {
  const message = /paints at most 100000 elements once its references are followed/
  t.regex(svgFaults(levels((id) => `<use href="#${id}"/>`)).join(), message)
  t.regex(svgFaults(levels((id) => `<rect fill="url(#${id})"/>`)).join(), message)
  t.regex(svgFaults(levels((id) => `<rect style="fill:url('#${id}')"/>`)).join(), message)
  const sheet = Array.from({ length: 10 }, (_, i) => `.l${i}{fill:url(#l${i})}`).join('')
  const classes = levels((id) => `<rect class="${id}"/>`).replace(
    '<pattern',
    `<style>${sheet}</style><pattern`,
  )
  t.regex(svgFaults(classes).join(), message)
  t.is(cleanSvg(classes), '')
})

test('a circle of references is no fault', (t) => {
  t.deepEqual(svgFaults(inside('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>')), [])
})

test('a hundred thousand tags deep neither crash nor come through', (t) => {
  const svg = `<svg>${'<g>'.repeat(60_000)}`
  t.regex(svgFaults(svg).join(), /nested at most 128 deep/)
  t.true(cleanSvg(svg).length < 2_000)
})

test('extra markup of drawing programs is no fault', (t) => {
  const svg = `<svg version="1.1" baseProfile="full" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
    xmlns:inkscape="x" xml:space="preserve" xml:lang="en" enable-background="new 0 0 9 9" viewBox="0 0 9 9" t="16" p-id="2"
    sodipodi:docname="a.svg" data-name="Layer 1" aria-hidden="true" role="img" focusable="false" class="i" preserveAspectRatio="none">
    <!-- a comment --><title>a & b &lt; c &#169;</title><desc/>
    <g stroke-linecap="round" vector-effect="non-scaling-stroke" paint-order="stroke" mix-blend-mode="screen" id="g">
    <text xml:space="preserve" x="1" dy="1em" text-anchor="middle" font-feature-settings="'tnum'">AT&amp;T&nbsp;&copy; A & B</text>
    <path d="M0 0h9" pathLength="1" stroke-dasharray="1 2" transform="rotate(5)"/></g>
    </svg> <!-- made by hand -->
  `
  t.deepEqual(svgFaults(svg), [])
})

test('floods of references, tags and ends cost their length and no more', (t) => {
  const fill = (piece: (i: number) => string) => {
    let svg = '<svg>'
    for (let i = 0; svg.length < 190_000; i++) svg += piece(i)
    return svg
  }
  for (const piece of [
    () => '&nbsp;',
    (i: number) => `&a${i};`,
    () => '</g>',
    (i: number) => `<g a${i}="1"/>`,
    () => '<!x>',
  ]) {
    const faults = svgFaults(fill(piece))
    t.true(faults.length > 0 && faults.length <= 20)
  }
})

test('filter numbers no eye tells apart are refused, those of designs pass', (t) => {
  const refused: [primitive: string, fault: string][] = [
    ['<feTurbulence numOctaves="10000"/>', 'numOctaves of <feTurbulence> is at most 10. Got 10000'],
    ['<feMorphology radius="2 1e3"/>', 'radius of <feMorphology> is at most 250. Got 2 1e3'],
    [
      '<feGaussianBlur stdDeviation="5000"/>',
      'stdDeviation of <feGaussianBlur> is at most 1000. Got 5000',
    ],
    [
      '<feDropShadow stdDeviation="9,5000"/>',
      'stdDeviation of <feDropShadow> is at most 1000. Got 9,5000',
    ],
    ['<feConvolveMatrix order="25"/>', 'order of <feConvolveMatrix> is at most 9. Got 25'],
  ]
  for (const [primitive, fault] of refused) {
    t.deepEqual(svgFaults(inside(`<filter id="f">${primitive}</filter>`)), [fault])
  }
  const usual =
    '<feTurbulence numOctaves="8"/><feMorphology radius="12"/><feGaussianBlur stdDeviation="200 0"/><feConvolveMatrix order="5"/>'
  t.deepEqual(svgFaults(inside(`<filter id="f">${usual}</filter>`)), [])
})
