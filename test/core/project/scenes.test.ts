import test from 'ava'
import type { ResolvedScene } from '../../../core/project/resolved.ts'
import { faultsOf, image, resolved } from './outcome.ts'

const card = { type: 'TEXT', html: '{{item.name}} {{index}}' }

function textsOf(scenes: readonly ResolvedScene[]): unknown[] {
  return scenes.map(({ visuals: [visual] }) => visual?.type === 'TEXT' && visual.html)
}

test('a scene is iterated over an array, once for each item', (t) => {
  const variables = { shop: { goods: [{ name: 'mug' }, { name: 'cup' }, { name: 'jug' }] } }
  const { project } = resolved({
    variables,
    scenes: [{ id: 'card', iterate: 'shop.goods', duration: 2, visuals: [card] }],
  })
  t.deepEqual(textsOf(project.scenes), ['mug 0', 'cup 1', 'jug 2'])
  t.deepEqual(
    project.scenes.map(({ id }) => id),
    ['card-1', 'card-2', 'card-3'],
  )
  t.true(project.scenes.every(({ field }) => field === 'scenes[0]'))
})

test('the item can be renamed, and the array can come by placeholder', (t) => {
  const visual = { type: 'TEXT', html: '{{good.name}}' }
  const scene = { iterate: '{{goods}}', iterateAs: 'good', visuals: [visual] }
  const { project } = resolved({ variables: { goods: [{ name: 'a' }] }, scenes: [scene] })
  t.deepEqual(textsOf(project.scenes), ['a'])
})

test('a list of visuals can come from the item', (t) => {
  const goods = [
    {
      list: [
        { type: 'TEXT', html: 'a' },
        { ...image, condition: false },
      ],
    },
  ]
  const scene = { iterate: 'goods', visuals: '{{ item.list }}' }
  const { project } = resolved({ variables: { goods }, scenes: [scene] })
  t.is(project.scenes[0]?.visuals.length, 1)
})

test('a condition about the item prunes clones; the rest keep their numbers', (t) => {
  const goods = [
    { name: 'a', show: 1 },
    { name: 'b', show: 0 },
    { name: 'c', show: 1 },
  ]
  const scene = { id: 's', iterate: 'goods', condition: '{{item.show}}', visuals: [card] }
  const { project } = resolved({ variables: { goods }, scenes: [scene] })
  t.deepEqual(textsOf(project.scenes), ['a 0', 'c 2'])
  t.deepEqual(
    project.scenes.map(({ id }) => id),
    ['s-1', 's-3'],
  )
})

test('a condition about the scene prunes it before its array is sought', (t) => {
  const scene = { iterate: 'nothing', condition: '{{show}}' }
  t.is(resolved({ variables: { show: false }, scenes: [scene] }).project.scenes.length, 0)
})

test('a condition may ask for the item through the scene’s variable', (t) => {
  const variables = { goods: [{ on: 1 }, { on: 0 }, { on: 1 }], shown: false }
  const scenes = (show: string, condition = '{{show}}') => [
    { id: 's', iterate: 'goods', variables: { show, deep: '{{show}}' }, condition },
  ]
  const idsOf = (show: string, condition?: string) =>
    resolved({ variables, scenes: scenes(show, condition) }).project.scenes.map(({ id }) => id)
  t.deepEqual(idsOf('{{item.on}}'), ['s-1', 's-3'])
  t.deepEqual(idsOf('{{item.on}}', '{{deep}}'), ['s-1', 's-3'])
  t.deepEqual(idsOf('{{index}}'), ['s-2', 's-3'])
  t.deepEqual(idsOf('{{shown}}'), [])
  t.deepEqual(idsOf('{{nobody}}'), [])
})

test('a scene’s variables shadow the project’s, and the request wins over both', (t) => {
  const visual = { type: 'TEXT', html: '{{a}}{{b}}{{c}}' }
  const payload = {
    variables: { a: 1, b: 1, c: '({{a}})' },
    visuals: [visual],
    scenes: [{ variables: { a: 2, b: 2 }, visuals: [visual] }],
  }
  const { project } = resolved(payload, { variables: { b: 3 } })
  t.deepEqual(textsOf([...project.scenes]), ['23(2)'])
  t.like(project.visuals[0], { html: '13(1)' })
})

test('the item wins over a variable of the same name', (t) => {
  const payload = { scenes: [{ iterate: 'goods', visuals: [{ type: 'TEXT', html: '{{item}}' }] }] }
  const { project } = resolved(payload, { variables: { goods: ['a', 'b'], item: 'x' } })
  t.deepEqual(textsOf(project.scenes), ['a', 'b'])
})

/** Name, scenes around an iterated one, and the resulting transition of each scene. */
const chains: readonly (readonly [string, readonly object[], readonly (string | null)[]])[] = [
  [
    'clones lead into each other and into the next',
    [{ id: 'c', iterate: 'n', transition: 'fade' }, { id: 'z' }],
    ['fade', 'fade', null],
  ],
  [
    'what leads to the scene leads to its first clone',
    [
      { transition: 'fade', transitionId: 'c' },
      { id: 'c', iterate: 'n' },
    ],
    ['fade', null, null],
  ],
  [
    'the last clone keeps the target',
    [{ id: 'c', iterate: 'n', transition: 'fade', transitionId: 'z' }, { id: 'z' }],
    ['fade', 'fade', null],
  ],
  [
    'a target that is not next is a hard cut',
    [{ transition: 'fade', transitionId: 'z' }, { id: 'y' }, { id: 'z' }],
    [null, null, null],
  ],
]

for (const [title, scenes, expected] of chains) {
  test(`transitions: ${title}`, (t) => {
    const { project } = resolved({ variables: { n: [1, 2] }, scenes })
    t.deepEqual(
      project.scenes.map(({ transition }) => transition),
      expected,
    )
  })
}

test('ids that are made up avoid those that are given', (t) => {
  const { project } = resolved({ scenes: [{}, { id: 'scene-1' }] })
  t.deepEqual(
    project.scenes.map(({ id }) => id),
    ['scene-1-2', 'scene-1'],
  )
})

test('nor are ids of clones made up that another scene has', (t) => {
  const variables = { n: [1, 2] }
  const idsOf = (scenes: readonly object[]) =>
    resolved({ variables, scenes }).project.scenes.map(({ id }) => id)
  const own = { id: 'scene-1-1' }
  t.deepEqual(idsOf([{ iterate: 'n' }, own]), ['scene-1-2-1', 'scene-1-2-2', 'scene-1-1'])
  const named = { id: 'scene', iterate: 'n' }
  t.deepEqual(idsOf([{}, named]), ['scene-1-2', 'scene-1', 'scene-2'])
  t.deepEqual(faultsOf({ variables, scenes: [{ id: 'a', iterate: 'n' }, { id: 'a-1' }] }), [
    'scenes[1].id: id must be unique among the scenes. Got "a-1" again.',
  ])
})

test('a length of -1 means from content; scenes have their own background', (t) => {
  const { project } = resolved({
    backgroundColor: '#123',
    scenes: [{ duration: -1 }, { backgroundColor: '#000' }],
  })
  t.false('duration' in (project.scenes[0] ?? {}))
  t.deepEqual(
    project.scenes.map(({ backgroundColor }) => backgroundColor),
    ['#112233', '#000000'],
  )
})

/** Invalid values of iterate. */
const wrong: readonly (readonly [unknown, string, string])[] = [
  ['goods', 'item', 'scenes[0].iterate: The variable "goods" is not defined.'],
  ['{{goods}}', 'item', 'scenes[0].iterate: The variable "goods" is not defined.'],
  ['text', 'item', 'scenes[0].iterate: iterate must be the dot path of an array. text is "abc".'],
  ['a b', 'item', 'scenes[0].iterate: iterate must be the dot path of an array. Got "a b".'],
  [
    'list',
    'index',
    'scenes[0].iterateAs: iterateAs must be a variable name other than "index". Got "index".',
  ],
  [
    'long',
    'item',
    'scenes[0].iterate: A project must have <= 25 scenes on this plan. Got 26 from iterate.',
  ],
]

for (const [iterate, iterateAs, expected] of wrong) {
  test(`iterate: ${JSON.stringify(iterate)} as ${iterateAs} is refused`, (t) => {
    const variables = { text: 'abc', list: [1], long: new Array(26).fill(1) }
    t.deepEqual(faultsOf({ variables, scenes: [{ iterate, iterateAs }] }), [expected])
  })
}

test('clones that multiply are stopped', (t) => {
  const list = new Array(25).fill(0)
  const scene = {
    iterate: 'list',
    visuals: new Array(1000).fill({ type: 'TEXT', html: '{{index}}' }),
  }
  const [fault, ...more] = faultsOf({ variables: { list }, scenes: [scene] })
  t.regex(fault ?? '', /^scenes\[0\].*Placeholders and iteration must expand to <= 4000000/)
  t.is(more.length, 0)
})

test('an item that comes to too much is refused at its place', (t) => {
  const list = new Array(25).fill({ text: 'x'.repeat(2000) })
  const html = '{{item.text}}'.repeat(90)
  const scene = { iterate: 'list', visuals: [{ type: 'TEXT', html }] }
  t.deepEqual(faultsOf({ variables: { list }, scenes: [scene] }), [
    'scenes[0].visuals[0].html: Placeholders and iteration must expand to <= 4000000 characters.',
  ])
})
