import test from 'ava'
import { cleanSvg, svgFaults } from '../../../core/markup/svg.ts'

test('a drawing with gradients, filters, masks, text and a style sheet comes through', (t) => {
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
