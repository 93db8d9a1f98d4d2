import test from 'ava'
import { bakeOne, bakerFor, html } from './baking.ts'

const baker = bakerFor(test)

const boxOf = async (...document: Parameters<typeof html>) => {
  const { width, height, inkX, inkY, inkWidth, inkHeight, warnings } = await bakeOne(
    baker(),
    html(...document),
  )
  return { size: [Math.round(width), height], ink: [inkX, inkY, inkWidth, inkHeight], warnings }
}

const pill =
  '<div style="display:inline-block;background:#f4a;padding:8px 22px;font-size:22px">STEP 01</div>'

test('an inline pill keeps its own height at any surrounding font size', async (t) => {
  const { size, ink } = await boxOf(pill)
  t.is(ink[1], 0)
  t.is(ink[3], 49)
  t.is(size[1], 49)
  t.deepEqual((await boxOf(pill, { style: { fontSize: 90 } })).ink, ink)
})

test('small words in a bar of large text bring no strut', async (t) => {
  const span = '<span style="font-size:16px;display:inline-block;width:190px">Alpha</span>'
  const bar = `<div style="background:#345;padding:14px 18px">${span}${span}</div>`
  t.deepEqual((await boxOf(bar, { width: 500 })).size, [500, 53])
})

test('paragraphs and lists bring no margins and no indents', async (t) => {
  const markup = '<p>first</p><p>second</p><ul><li>item</li><li>other</li></ul>'
  const style = { background: '#ffe08a', fontSize: '40px' }
  t.deepEqual((await boxOf(markup, { style })).size, [148, 240])
  const { size, ink } = await boxOf('<ol><li>one</li><li>two</li></ol>', { style })
  t.is(size[1], 120)
  t.true((ink[0] ?? 0) < 0, 'numbers stand before the box')
})

test('the reset is the weakest rule: an element’s own style counts', async (t) => {
  const style = 'font-size:40px;margin:10px 0;padding:5px;box-sizing:border-box;height:70px'
  t.is((await boxOf(`<p style="${style}">one</p><p style="${style}">two</p>`)).size[1], 170)
})

test('bare numbers are px where quirks mode allows, in markup and style', async (t) => {
  const markup = '<div style="width:120;height:30;background:#000"></div>'
  const { size, warnings } = await boxOf(markup, { style: { paddingLeft: '14' } })
  t.deepEqual(size, [134, 30])
  t.deepEqual(warnings, [])
  const [warning] = (await boxOf('x', { style: { borderRadius: '9' } })).warnings
  t.is(warning?.message, 'border-radius has no value 9')
})
