import test from 'ava'
import { faultsOf, image, outcomeOf, resolved, words } from './outcome.ts'

/** Text that a visual shows when its html is `html`. */
function shown(html: string, variables: object, request: object = {}): unknown {
  const payload = { variables, visuals: [{ type: 'TEXT', html }] }
  const { project } = resolved(payload, { variables: request })
  const [visual] = project.visuals
  return visual?.type === 'TEXT' && visual.html
}

/** Name, html, variables, shown text. */
const cases: readonly (readonly [string, string, object, string])[] = [
  ['inside a text', 'Hi {{name}}!', { name: 'Ann' }, 'Hi Ann!'],
  ['with spaces in the braces', '{{  name }}', { name: 'Ann' }, 'Ann'],
  ['twice', '{{a}}{{a}}', { a: 'x' }, 'xx'],
  ['a number', 'n={{n}}', { n: 1.5 }, 'n=1.5'],
  ['a flag', 'f={{f}}', { f: false }, 'f=false'],
  ['null inside a text is nothing', 'a{{n}}b', { n: null }, 'ab'],
  ['an object inside a text is JSON', 'o={{o}}', { o: { a: [1] } }, 'o={"a":[1]}'],
  ['a number alone in a field of words', '{{n}}', { n: 12 }, '12'],
  ['a dotted path', '{{a.b.c}}', { a: { b: { c: 'x' } } }, 'x'],
  ['an index', '{{a.1.n}}', { a: [{ n: 'x' }, { n: 'y' }] }, 'y'],
  ['what is no placeholder stays', '{{ 1 }} {{}} {{a-b}} {x}', {}, '{{ 1 }} {{}} {{a-b}} {x}'],
  ['through another variable', '{{a}}', { a: 'A {{b}}', b: 'B {{c}}', c: 'C' }, 'A B C'],
  ['whatever the order of variables', '{{a}}', { c: 'C', b: 'B {{c}}', a: 'A {{b}}' }, 'A B C'],
  ['into an object that a variable names', '{{a.x}}', { a: '{{b}}', b: { x: 'X' } }, 'X'],
  ['between members of one object', '{{a.y}}', { a: { x: 'X', y: 'Y{{a.x}}' } }, 'YX'],
  [
    'filled text is not read again',
    '{{a}}',
    { a: '{{b}}{{c}}', b: '{', c: '{d}', d: 'no' },
    '{{d}',
  ],
]

for (const [title, html, variables, expected] of cases) {
  test(`a placeholder: ${title}`, (t) => {
    t.is(shown(html, variables), expected)
  })
}

test('a whole placeholder keeps the type of its value', (t) => {
  const variables = { w: 640, on: true, filter: { blur: 3 }, list: [words], none: null }
  const visual = { ...image, flipH: '{{on}}', filter: '{{filter}}', enterAnimation: '{{none}}' }
  const { project } = resolved({ variables, width: '{{ w }}', visuals: [visual] })
  t.is(project.width, 640)
  t.like(project.visuals[0], { flipH: true, filter: { blur: 3 }, enterAnimation: null })
  t.is(resolved({ variables, visuals: '{{list}}' }).project.visuals.length, 1)
})

test('a type that arrives through a placeholder is checked', (t) => {
  const payload = {
    variables: { w: '640', o: 2 },
    width: '{{w}}',
    visuals: [{ ...image, opacity: '{{o}}' }],
  }
  t.deepEqual(faultsOf(payload), [
    'width: width must be a whole number >= 1. Got "640".',
    'visuals[0].opacity: opacity must be <= 1. Got 2.',
  ])
  t.is(outcomeOf({ payload }).faults[0]?.code, 'invalid_project')
})

test('a URL is judged after its placeholders are filled', (t) => {
  const payload = { visuals: [{ ...image, src: 'https://{{h}}/a.png' }] }
  t.deepEqual(faultsOf(payload, { variables: { h: 'cdn.example.com' } }), [])
  t.regex(
    faultsOf(payload, { variables: { h: '127.0.0.1' } })[0] ?? '',
    /must be a URL of a public/,
  )
})

test('variables of the request win over those of the project', (t) => {
  t.is(shown('{{a}} {{b}} {{c}}', { a: 1, b: 2, c: '{{a}}' }, { a: 9 }), '9 2 9')
})

test('an undefined variable is named, with the place that uses it', (t) => {
  const payload = {
    variables: { title: 'x' },
    visuals: [{ ...words, text: '{{ titel }} {{a.b}}' }],
  }
  t.deepEqual(faultsOf(payload), [
    'visuals[0].text: The variable "titel" is not defined. Did you mean "title"?',
    'visuals[0].text: The variable "a.b" is not defined.',
  ])
})

test('only own properties can be named', (t) => {
  const variables = { list: [1], text: 'abc', o: {} }
  for (const path of ['list.length', 'text.length', 'text.0', 'o.toString', 'toString', 'list.1']) {
    const [fault] = faultsOf({ variables, visuals: [{ ...words, text: `{{${path}}}` }] })
    t.is(fault, `visuals[0].text: The variable "${path}" is not defined.`)
  }
})

test('variables in a circle are named, even where nothing uses them', (t) => {
  const variables = { a: '{{b}}', b: 'x {{c.d}}', c: { d: '{{ a }}' }, self: '{{self}}' }
  t.deepEqual(faultsOf({ variables }), [
    'variables.a: Variables must not refer to each other in a circle: a → b → c.d → a.',
    'variables.self: Variables must not refer to each other in a circle: self → self.',
  ])
})

/**
 * A condition, and whether the element stays, with `on: true, off: false, zero: 0, none: null,
 * empty: ''`.
 */
const conditions: readonly (readonly [unknown, boolean])[] = [
  [true, true],
  [false, false],
  [0, false],
  ['', false],
  [null, false],
  [1, true],
  ['no', true],
  ['{{on}}', true],
  ['{{off}}', false],
  ['{{zero}}', false],
  ['{{none}}', false],
  ['{{empty}}', false],
  ['{{not.defined}}', false],
]

for (const [condition, stays] of conditions) {
  test(`the condition ${JSON.stringify(condition)} ${stays ? 'keeps' : 'prunes'}`, (t) => {
    const variables = { on: true, off: false, zero: 0, none: null, empty: '' }
    const sound = { src: 'https://a.com/b.mp3', condition }
    const { project } = resolved({
      variables,
      visuals: [{ ...image, condition }, words],
      audios: [sound],
      scenes: [{ condition }],
    })
    t.is(project.visuals.length, stays ? 2 : 1)
    t.is(project.visuals.at(-1)?.field, 'visuals[1]')
    t.is(project.audios.length, stays ? 1 : 0)
    t.is(project.scenes.length, stays ? 1 : 0)
  })
}

test('a pruned element needs none of its variables', (t) => {
  const visual = { type: 'TEXT', text: '{{nobody}}', condition: '{{show}}' }
  t.deepEqual(faultsOf({ visuals: [visual], variables: { show: false } }), [])
})

test('a condition is no expression', (t) => {
  const [fault] = faultsOf({
    visuals: [{ ...image, condition: '{{a}} == 1' }],
    variables: { a: 1 },
  })
  t.regex(fault ?? '', /^visuals\[0\]\.condition: condition must be a flag or one placeholder/)
})

test('placeholders that multiply are stopped', (t) => {
  const level = (i: number, inner: string) => [`v${i}`, i === 40 ? 'xxxxxxxxxx' : inner] as const
  const bombs = [
    Array.from({ length: 41 }, (_, i) => level(i, `{{v${i + 1}}}`.repeat(9))),
    Array.from({ length: 41 }, (_, i) => [`v${i}`, new Array(9).fill(`{{v${i + 1}}}`)] as const),
  ]
  for (const bomb of bombs) {
    const variables = { ...Object.fromEntries(bomb), v41: 'x' }
    const faults = faultsOf({ variables, visuals: [{ ...words, text: '{{v0}}' }] })
    t.deepEqual(faults, [
      'variables.v0: Placeholders and iteration must expand to <= 4000000 characters.',
    ])
  }
})

/** `count` variables, each made of the name of the next; the last is `end`. */
function chain(count: number, link: (next: string) => unknown, end: unknown): object {
  const links = Array.from({ length: count }, (_, i) => [`v${i}`, link(`{{v${i + 1}}}`)])
  return { ...Object.fromEntries(links), [`v${count}`]: end }
}

test('a chain of variables may be as long as a request is', (t) => {
  const long = chain(15_000, (next) => next, 'e'.repeat(1000))
  t.is(shown('{{v0}}', long), 'e'.repeat(1000))
  t.is(
    shown(
      '{{v0.x}}',
      chain(15_000, (next) => next, { x: 'end' }),
    ),
    'end',
  )
  const list = chain(15_000, (next) => next, [words, { ...words, condition: false }])
  t.is(resolved({ variables: list, visuals: '{{v0}}' }).project.visuals.length, 1)
  t.is(
    shown(
      '{{v0}}',
      chain(1000, (next) => `-${next}`, 'end'),
    ),
    `${'-'.repeat(1000)}end`,
  )
})

test('variables are nested no deeper than a request may be', (t) => {
  const nested = (depth: number) => chain(depth, (next) => [next], 'end')
  t.deepEqual(faultsOf({ variables: nested(64) }), [])
  t.deepEqual(faultsOf({ variables: nested(65) }), [
    'variables.v0: The value must be nested <= 64 levels deep once its placeholders are filled in.',
  ])
})

test('a long circle is named by its first members and their number', (t) => {
  const circle = (count: number) => chain(count - 1, (next) => next, '{{v0}}')
  const rule = 'variables.v0: Variables must not refer to each other in a circle:'
  const names = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`).join(' → ')
  t.deepEqual(faultsOf({ variables: circle(50) }), [`${rule} ${names(50)} → v0.`])
  for (const count of [250, 15_000]) {
    const [fault, ...more] = faultsOf({ variables: circle(count) })
    t.is(fault, `${rule} ${names(50)} → … (${count} in all) → v0.`)
    t.is(more.length, 0)
  }
})

test('a circle among a scene’s variables is named, even if unused', (t) => {
  const variables = { a: '{{b}}', b: '{{a}}' }
  const expected = [
    'scenes[0].variables.a: Variables must not refer to each other in a circle: a → b → a.',
  ]
  t.deepEqual(faultsOf({ scenes: [{ variables }] }), expected)
  for (const list of [[], [1, 2]]) {
    t.deepEqual(
      faultsOf({ variables: { list }, scenes: [{ iterate: 'list', variables }] }),
      expected,
    )
  }
})

/** Values of html and variables whose result holds placeholders again. */
const secondPlaceholders: readonly (readonly [string, object, string])[] = [
  ['{{{a}}x}}', { a: '{' }, 'visuals[0].html'],
  ['{{{{a}}}}', { a: 'x' }, 'visuals[0].html'],
  ['{{a}}', { a: '{{b}}{{c}}', b: '{', c: '{x}}' }, 'variables.a'],
]

for (const [html, variables, field] of secondPlaceholders) {
  test(`${html} with ${JSON.stringify(variables)} must not come to a placeholder`, (t) => {
    t.deepEqual(faultsOf({ variables, visuals: [{ type: 'TEXT', html }] }), [
      `${field}: A text must not hold another placeholder once its placeholders are filled in. Got "{{x}}".`,
    ])
  })
}

test('very many undefined variables are named up to a limit', (t) => {
  const names = Array.from({ length: 9000 }, (_, i) => `w${i}`)
  const through = Object.fromEntries(names.map((name, i) => [`v${i}`, `{{${name}}}`]))
  const name = names.map((_, i) => `{{v${i}}}`).join('')
  const faults = faultsOf({ name, variables: through })
  t.is(faults.length, 501)
  t.is(faults[499], 'name: The variable "w499" is not defined.')
  t.regex(faults[500] ?? '', /more than 500 errors/)
})
