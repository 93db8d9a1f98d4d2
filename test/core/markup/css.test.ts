import test from 'ava'
import { cleanDeclarations, cleanSheet, cssName, styleFaults } from '../../../core/markup/css.ts'

test('names in each spelling, custom properties and numbers are accepted', (t) => {
  const style = {
    fontSize: 42,
    'letter-spacing': '0.02em',
    '--accent': '#f0f',
    background: 'linear-gradient(90deg, #f43f5e, #8b5cf6)',
    WebkitTextStroke: '2px #000',
    '-webkit-background-clip': 'text',
  }
  t.deepEqual(styleFaults(style), [])
  t.deepEqual(Object.keys(style).map(cssName), [
    'font-size',
    'letter-spacing',
    '--accent',
    'background',
    '-webkit-text-stroke',
    '-webkit-background-clip',
  ])
})

const refused = [
  ['background', 'url(#a)', 'url('],
  ['background', 'URL( "http://x" )', 'url('],
  ['background', 'u\\000072l(x)', 'url('],
  ['background', 'image-set("a" 1x)', 'image-set('],
  ['color', '@import x', '@import'],
  ['width', 'expression(1)', 'expression('],
  ['x', 'behavior: y', 'behavior:'],
  ['color', 'red /* x */', '/*'],
  ['color', '-moz-binding', '-moz-binding'],
] as const

for (const [property, value, token] of refused) {
  test(`${property}: ${value} is refused`, (t) => {
    const [fault] = styleFaults({ [property]: value })
    t.is(fault?.property, property)
    t.true(fault?.message.includes(`may not contain ${token}`), fault?.message)
  })
}

test('invalid names, long values and too many properties are refused', (t) => {
  t.regex(styleFaults({ 'color;x': 'red' })[0]?.message ?? '', /CSS name.*Got color;x/)
  t.regex(styleFaults({ color: 'a'.repeat(4_001) })[0]?.message ?? '', /4000 characters. Got 4001/)
  t.regex(styleFaults({ color: '('.repeat(33) })[0]?.message ?? '', /nested at most 32/)
  const many = Object.fromEntries(Array.from({ length: 121 }, (_, i) => [`--p${i}`, '1']))
  t.regex(styleFaults(many)[0]?.message ?? '', /at most 120 properties. Got 121/)
})

test('a style attribute comes out as its declarations, plain or not', (t) => {
  const plain = cleanDeclarations(' color : #fff;font-size:12px ; nonsense; :x; line-height:1.2')
  t.is(plain.css, 'color:#fff;font-size:12px;line-height:1.2')
  t.deepEqual(plain.faults, [])
  const rich = cleanDeclarations(
    "color:rgb(1,2,3);nonsense;font-family:'A;B'; width : 2px!important",
  )
  t.is(rich.css, "color:rgb(1,2,3);font-family:'A;B';width:2px!important")
  t.is(rich.broken, 1)
  t.regex(cleanDeclarations('color:red;behavior:x').faults[0] ?? '', /may not contain behavior:/)
  t.is(cleanDeclarations('a:b;'.repeat(121)).faults[0], 'A style holds at most 120 properties')
})

test('CSS that is mostly unreadable is refused as a whole', (t) => {
  const rule = 'CSS may hold at most 100 declarations that cannot be read'
  t.deepEqual(cleanDeclarations('(;'.repeat(100)).faults, [
    'Brackets in CSS may be nested at most 32 deep',
  ])
  t.deepEqual(cleanDeclarations('();'.repeat(100)).faults, [])
  t.deepEqual(cleanDeclarations(`${'();'.repeat(101)}color:red`), {
    ...{ css: '', faults: [rule], references: [], broken: 101 },
  })
  t.deepEqual(cleanSheet(`a{${'();'.repeat(101)}}`).faults, [rule])
})
