import { readFileSync } from 'node:fs'
import test from 'ava'
import { warningCodes } from '../../../core/project/lint/warning.ts'
import { outcomeOf } from './outcome.ts'

/** Warnings of a request, as `field code: message`. */
function warningsOf(payload: object, more: object = {}): string[] {
  const { faults, resolution } = outcomeOf({ payload, ...more })
  if (!resolution) throw new Error(faults.map((f) => `${f.field}: ${f.message}`).join('\n'))
  return resolution.warnings.map(({ field, code, message }) => `${field} ${code}: ${message}`)
}

/** The same without the messages. */
function codesOf(payload: object, more: object = {}): string[] {
  return warningsOf(payload, more).map((text) => text.slice(0, text.indexOf(':')))
}

const words = { type: 'TEXT', text: 'Hello', x: 50, y: 50 }
const variables = {
  ...{ arr: ['x', 'y'], a: 'A', name: 'N', first_name: 'F', prenom: 'P' },
  ...{ items: [{ price: 1 }], user: { name: 'U' } },
}

/** Warning about braces in a text: it names the intended placeholder, or the rule. */
function saidOf(html: string): string | undefined {
  const payload = { type: 'image', visuals: [{ ...words, text: undefined, html }], variables }
  const [first, ...rest] = warningsOf(payload)
  if (rest.length > 0) return rest.join('\n')
  return first?.replace(/^visuals\[0\]\.html not_a_placeholder: ".*?[^\\]" (.*)$/, '$1')
}

const meant: Readonly<Record<string, string>> = {
  '{{ arr[1] }}': 'arr.1',
  "{{ user['name'] }}": 'user.name',
  '{{ user?.name }}': 'user.name',
  '{{ items[0].price }}': 'items.0.price',
  '{{ a | upper }}': 'a',
  '{{ name ?? "x" }}': 'name',
  '{{ upper(name) }}': 'name',
  '{{ prénom }}': 'prenom',
  '{{ first-name }}': 'first_name',
  '{{ First name }}': 'first_name',
  '{{ $name }}': 'name',
  '{{ nmae | trim }}': 'name',
  '{{&nbsp;name&nbsp;}}': 'name',
  '{{\u200bname}}': 'name',
  '{{ <i>name</i> }}': 'name',
  '{{ #each items }}': 'items',
  '{{ a.__proto__ }}': 'a',
  '{name}': 'name',
  ['$' + '{name}']: 'name',
  '{{ name }': 'name',
  '{{ name': 'name',
  '{{{a}}}': 'a',
  '[[name]]': 'name',
  '｛｛name｝｝': 'name',
  'name }}': 'name',
  'Hi <b>name</b> }}': 'name',
  '{{ a }} and user.name }}': 'user.name',
  'prénom }}': 'prenom',
  'nmae}}': 'name',
  'some word }}': 'word',
  '%name%': 'name',
  '100 %%first_name%%': 'first_name',
  '{% name %}': 'name',
  '{%name%}': 'name',
  '&lt;%= user.name %&gt;': 'user.name',
  '&lt;name&gt;': 'name',
  '#{name}': 'name',
  '$(name)': 'name',
  $name$: 'name',
  'Hi $name!': 'name',
  '((name))': 'name',
  '[name]': 'name',
  __name__: 'name',
  '@name@': 'name',
  '#name#': 'name',
}

for (const [html, path] of Object.entries(meant)) {
  test(`malformed placeholders are reported with the intended one: ${html}`, (t) => {
    t.true(saidOf(html)?.endsWith(`Write {{ ${path} }}.`), saidOf(html))
  })
}

for (const html of ['{{ _x }}', '{{ }}', '{{ __proto__ }}', '{{ 1st }}', '{{ 0 }}']) {
  test(`braces without a similar name are reported with the rule: ${html}`, (t) => {
    t.regex(saidOf(html) ?? '', /A placeholder is \{\{ name \}\} or \{\{ name\.part\.0 \}\}/)
  })
}

for (const html of [
  '{{ name }}',
  '{{name}}{{ a }}',
  '{{ items.0.price }}',
  'x {y} z',
  '{ } }}',
  '$5',
  'if (ok) { go(); { x }}',
  'Smile :}} and :}',
  '50% off, 20% less',
  '%unknown% [unknown] $unknown {% unknown %} ((unknown)) #unknown# __unknown__',
  '5%a name%',
  'name@name.com #name @name $name_of_it a$name name$',
  'foo.__name__.bar__name__x',
]) {
  test(`no warning for ${html}`, (t) => t.is(saidOf(html), undefined))
}

test('a variable that no placeholder can name is to be renamed', (t) => {
  const payload = { type: 'image', visuals: [{ ...words, text: '{{ prénom }}' }] }
  const [said = ''] = warningsOf({ ...payload, variables: { prénom: 'Zoë' } })
  t.regex(said, /Rename the variable to prenom.* Write \{\{ prenom \}\}/)
})

test('false placeholders are found in every text, captions, variables and overrides included', (t) => {
  const payload = {
    visuals: [{ ...words, style: { color: '{{ c[0] }}' } }],
    subtitle: { captions: [{ start: 0, end: 1, text: 'Hi {{ who-ever }}' }] },
    variables: { own: '{{ x y }}' },
  }
  const more = { overrides: { name: '{{ n }}' }, variables: { sent: '{{ z|z }}' } }
  const places = codesOf(payload, more).filter((text) => text.endsWith('not_a_placeholder'))
  t.deepEqual(
    places.map((text) => text.split(' ')[0]),
    [
      'visuals[0].style.color',
      'subtitle.captions[0].text',
      ...['variables.own', 'variables.sent', 'overrides.name'],
    ],
  )
})

test('other languages’ signs are found in drawings, braces in every field', (t) => {
  const svg = '<svg viewBox="0 0 9 9"><text>%name%</text><path d="M0 0"/></svg>'
  const visuals = [
    { type: 'SVG', svg, width: 90, height: 90 },
    { type: 'IMAGE', src: 'https://cdn.example.com/{name}.png' },
    { type: 'IMAGE', src: 'https://cdn.example.com/%name%20$name.png' },
    { ...words, style: { fontFamily: '$' + '{name}' } },
  ]
  const found = codesOf({ visuals, variables }).filter((each) => each.includes('placeholder'))
  t.deepEqual(found, [
    'visuals[0].svg not_a_placeholder',
    'visuals[1].src not_a_placeholder',
    'visuals[3].style.fontFamily not_a_placeholder',
  ])
})

test('a condition that names a variable without braces is always true', (t) => {
  const of = (condition: unknown) =>
    codesOf({ visuals: [words, { ...words, y: 400, condition }], variables })
  const told = ['visuals[1].condition not_a_placeholder']
  for (const wrong of ['name', '!name', 'name == 1', 'user.name', '{name}', 'name }}']) {
    t.deepEqual(of(wrong), told, wrong)
  }
  for (const fine of ['{{ name }}', true, 'yes', 'unknown', '!'])
    t.deepEqual(of(fine), [], `${fine}`)
})

test('the names of an iteration count, where there is one', (t) => {
  const visuals = [{ ...words, text: '{item.price} and [index]' }]
  const scene = { duration: 1, visuals }
  const said = (more: object) =>
    codesOf({ scenes: [{ ...scene, ...more }], variables }).filter((each) => /place/.test(each))
  t.is(said({ iterate: 'items' }).length, 2)
  t.is(said({ iterate: 'items', iterateAs: 'row' }).length, 1)
  t.is(said({}).length, 0)
})

test('values of variables may hold the signs of other languages', (t) => {
  const payload = {
    visuals: [{ ...words, text: '{{ a }}' }],
    variables: { a: '%name% {b} b }}', b: 1 },
  }
  t.deepEqual(codesOf(payload), [])
})

test('braces in code count only if they name a variable', (t) => {
  const of = (customCode: object) => codesOf({ visuals: [{ ...words, customCode }], variables })
  t.deepEqual(
    of({ js: 'if (1) {{ let name = 2 }} const o = {a: {b: 1}}; f(`$' + '{{x: 1}}`)' }),
    [],
  )
  t.deepEqual(of({ css: '@media print{.a{color:red}} .b{{{ a }}}' }), [])
  t.deepEqual(of({ js: 'show("{{ arr[1] }}")' }), ['visuals[0].customCode.js not_a_placeholder'])
  t.deepEqual(of({ css: 'b{color:{{ arr[1] }}}' }), ['visuals[0].customCode.css not_a_placeholder'])
})

test('a number like a placeholder is refused with a placeholder’s right form', (t) => {
  const { faults } = outcomeOf({ payload: { visuals: [{ ...words, x: '{{ arr[0] }}' }] } })
  t.regex(faults[0]?.message ?? '', /x must be a number.*A placeholder is \{\{ name \}\}/)
})

test('an unused variable of the request is reported with a similar name', (t) => {
  const payload = { visuals: [{ ...words, text: '{{ name }}' }], variables: { name: 'x', old: 1 } }
  t.deepEqual(warningsOf(payload, { variables: { nmae: 'y', zzz: 1 } }), [
    'variables.nmae unused_variable: The project does not use the variable "nmae". Did you mean "name"?',
    'variables.zzz unused_variable: The project does not use the variable "zzz".',
  ])
  t.deepEqual(codesOf(payload, { variables: { name: 'y' } }), [])
})

test('an unused property is reported only if a similar one is missing', (t) => {
  const scenes = [
    { duration: 1, iterate: 'rows', visuals: [{ ...words, text: '{{ event.time }}' }] },
  ]
  const rows = [1]
  const of = (event: object) =>
    outcomeOf({ payload: { scenes }, variables: { rows, event } }).resolution?.warnings ?? []
  t.deepEqual(of({ time: 'x', place: 'y', tmie: 'z' }), [])
  const payload = { visuals: [{ ...words, text: 'x', condition: '{{ event.time }}' }, words] }
  const [said = ''] = warningsOf(payload, {
    variables: { event: { tmie: 'x', place: 'y' } },
  }).filter((text) => text.includes('unused'))
  t.regex(said, /^variables\.event\.tmie .*Did you mean "event\.time"\?/)
})

test('a variable counts as read through others, conditions, iterations and code', (t) => {
  const more = { variables: { b: 'x', show: true, rows: [{ a: 'r' }], which: 'rows', code: '1' } }
  const payload = {
    visuals: [
      { ...words, text: '{{ a }}', condition: '{{ show }}' },
      { ...words, y: 300, customCode: { js: 'let x = {{ code }}' } },
    ],
    scenes: [
      {
        duration: 1,
        iterate: '{{ which }}',
        visuals: [{ ...words, y: 500, text: '{{ item.a }}' }],
      },
    ],
    variables: { a: '{{ b }}' },
  }
  t.deepEqual(codesOf(payload, more), [])
  const one = { scenes: [{ duration: 1, iterate: 'rows', visuals: [words] }] }
  t.deepEqual(codesOf(one, { variables: { rows: [1] } }), [])
  const list = { scenes: '{{ s }}', variables: {} }
  const s = [{ duration: 1, iterate: 'r', visuals: [{ ...words, text: '{{ item }} {{ n }}' }] }]
  t.deepEqual(codesOf(list, { variables: { s, r: ['x'], n: 'y' } }), [])
})

test('a condition with a misspelt variable is reported', (t) => {
  const payload = { visuals: [words, { ...words, y: 300, condition: '{{ shwo }}' }] }
  const more = { variables: { show: true } }
  t.true(codesOf(payload, more).includes('visuals[1].condition undefined_condition'))
  t.deepEqual(codesOf({ visuals: [words, { ...words, condition: '{{ other }}' }] }), [])
})

test('a film or still without a visible element is reported', (t) => {
  t.deepEqual(warningsOf({}), [
    ' nothing_visible: No element is visible: 10 s of film shows only its background.',
  ])
  t.deepEqual(codesOf({ type: 'image', visuals: [{ ...words, opacity: 0 }] }), [
    'visuals nothing_visible',
  ])
  t.deepEqual(codesOf({ visuals: [{ ...words, condition: false }] }), ['visuals nothing_visible'])
  const scenes = [{ duration: 1, condition: '{{ no }}', visuals: [words] }]
  t.deepEqual(codesOf({ scenes }), ['scenes nothing_visible'])
  t.deepEqual(codesOf({ scenes, visuals: [words] }), ['scenes nothing_visible'])
  const emptied = { duration: 1, visuals: [{ ...words, condition: false }] }
  t.deepEqual(codesOf({ scenes: [emptied, { duration: 1, visuals: [words] }] }), [
    'scenes[0].visuals nothing_visible',
  ])
  const captions = [{ start: 0, end: 1, text: 'Hi' }]
  t.deepEqual(codesOf({ duration: 2, backgroundColor: '#123', subtitle: { captions } }), [])
})

test('an element that is not there at snapshotTime is never visible', (t) => {
  const of = (visual: object, snapshotTime = 0) =>
    codesOf({ type: 'image', snapshotTime, visuals: [words, { ...words, y: 300, ...visual }] })
  const unseen = ['visuals[1] never_visible']
  t.deepEqual(of({ enterBegin: 5, enterEnd: 5 }), unseen)
  t.deepEqual(of({ exitBegin: 2, exitEnd: 2 }, 2), unseen)
  t.deepEqual(of({ enterAnimation: 'fade', enterEnd: 1 }), unseen)
  t.deepEqual(of({ enterAnimation: 'fade', enterEnd: 1 }, 0.5), [])
  t.deepEqual(of({ enterBegin: 5, enterEnd: 5 }, 5), [])
})

test('a size that a resolution overrides is reported with the result', (t) => {
  const still = { type: 'image', visuals: [words] }
  t.deepEqual(warningsOf({ ...still, resolution: 'hd', width: 500 }), [
    'width size_ignored: width 500 has no effect: resolution hd makes the size 1280x720.',
  ])
  t.regex(
    warningsOf({ ...still, resolution: 'sd' }, { overrides: { width: 500 } })[0] ?? '',
    /^overrides\.width size_ignored: .*500x480/,
  )
  const custom = { overrides: { width: 500, resolution: 'custom' } }
  t.regex(
    warningsOf({ ...still, resolution: 'sd' }, custom)[0] ?? '',
    /height 720 is the default, so the size is 500x720/,
  )
  t.deepEqual(codesOf(still, { overrides: { width: 500, resolution: 'hd' } }), [
    'overrides.width size_ignored',
  ])
  t.deepEqual(codesOf({ ...still, resolution: 'hd', width: 1280, height: 720 }), [])
  t.deepEqual(codesOf({ ...still, width: 500 }, { overrides: { resolution: 'hd' } }), [])
  t.deepEqual(codesOf(still, { overrides: { width: 500 } }), [])
})

test('a field that another one overrides is reported', (t) => {
  const audio = { src: 'https://cdn.example.com/a.mp3', exit: 1, matchDuration: true }
  t.deepEqual(codesOf({ duration: 2, visuals: [words], audios: [audio] }), [
    'audios[0].exit exit_ignored',
  ])
  const both = { ...words, html: '<b>Hello</b>' }
  t.deepEqual(codesOf({ scenes: [{ duration: 1, visuals: [both] }] }), [
    'scenes[0].visuals[0].text text_ignored',
  ])
})

test('scene transitions that are not played as written are reported', (t) => {
  const scene = { duration: 1, transition: 'fade', visuals: [words] }
  const of = (first: object, more: object = {}) =>
    warningsOf({
      scenes: [
        { ...scene, id: 'one', ...first },
        { ...scene, id: 'two' },
      ],
      ...more,
    })
  t.deepEqual(of({}), [])
  t.deepEqual(of({ transitionId: 'none' }), [])
  t.deepEqual(of({ transitionId: 'twoo' }), [
    'scenes[0].transitionId link_ignored: No scene has the id "twoo": a hard cut. Did you mean "two"?',
  ])
  t.regex(of({ transitionId: 'one' })[0] ?? '', /must be the id of the next scene, "two"/)
  t.regex(
    of({ transitionDuration: 5 })[0] ?? '',
    /^scenes\[0\]\.transitionDuration transition_cut_short: .*lasts 1 s/,
  )
  t.regex(of({ duration: 3 }, { duration: 2 })[0] ?? '', /^duration duration_ignored: .*3\.5 s/)
  t.deepEqual(of({ duration: 3 }, { duration: 2, durationMode: 'auto' }), [])
})

test('docs/errors.md explains every code of a warning', (t) => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('## Warnings'))
  const codes = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  )
  t.deepEqual(codes.toSorted(), Object.keys(warningCodes).toSorted())
})
