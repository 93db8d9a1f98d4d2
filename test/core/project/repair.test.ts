import test from 'ava'
import fc from 'fast-check'
import { plans } from '../../../core/accounts/plans.ts'
import { repairPayload } from '../../../core/project/repair/repair.ts'
import { RenderPayload } from '../../../core/project/schema/project.ts'
import { arbitraryOf } from './schema-arbitrary.ts'

const repair = (payload: unknown) => repairPayload(payload, plans.pro)
const text = { type: 'TEXT', text: 'Hello' }
const film = { duration: 2, visuals: [text] }

/** Name, payload, repaired payload, and one line for each change. */
const cases: readonly [string, object, object, string[]][] = [
  [
    'a number out of range is put to the nearest end',
    { ...film, frameRate: 90, visuals: [{ ...text, opacity: -0.5, angle: 400 }] },
    { ...film, frameRate: 60, visuals: [{ ...text, opacity: 0, angle: 360 }] },
    ['set frameRate 90 60', 'set visuals[0].opacity -0.5 0', 'set visuals[0].angle 400 360'],
  ],
  [
    'a number in quotes is a number, and brought into range',
    { ...film, width: '640px', height: ' 360 ', frameRate: '30.4' },
    { ...film, width: 640, height: 360, frameRate: 30 },
    ['set width 640px 640', 'set height  360  360', 'set frameRate 30.4 30'],
  ],
  [
    'a flag in quotes is a flag',
    { ...film, visuals: [{ ...text, flipH: 'True' }] },
    { ...film, visuals: [{ ...text, flipH: true }] },
    ['set visuals[0].flipH True true'],
  ],
  [
    'a name is written as the language writes it',
    { type: 'Image', visuals: [{ ...text, position: 'Center_Center', anchor: 'topleft' }] },
    { type: 'image', visuals: [{ ...text, position: 'center-center', anchor: 'top-left' }] },
    [
      'set type Image image',
      'set visuals[0].position Center_Center center-center',
      'set visuals[0].anchor topleft top-left',
    ],
  ],
  [
    'a misspelt value is the nearest one',
    { ...film, visuals: [{ ...text, type: 'TXT', enterAnimation: 'fadee' }] },
    { ...film, visuals: [{ ...text, type: 'TEXT', enterAnimation: 'fade' }] },
    ['set visuals[0].type TXT TEXT', 'set visuals[0].enterAnimation fadee fade'],
  ],
  [
    'a misspelt property is the nearest one, and its value is mended too',
    { ...film, background_color: 'white', visuals: [{ ...text, opactiy: 2 }] },
    { ...film, backgroundColor: '#ffffff', visuals: [{ ...text, opacity: 1 }] },
    [
      'rename background_color background_color backgroundColor',
      'set backgroundColor white #ffffff',
      'rename visuals[0].opactiy opactiy opacity',
      'set visuals[0].opacity 2 1',
    ],
  ],
  [
    'a property that is near to none is left out',
    { ...film, madeWith: 'love', visuals: [{ ...text, src: 'https://example.com/a.png' }] },
    film,
    ['remove madeWith love null', 'remove visuals[0].src https://example.com/a.png null'],
  ],
  [
    'what only the other kind of project has is left out',
    { type: 'image', duration: 3, visuals: [text] },
    { type: 'image', visuals: [text] },
    ['remove duration 3 null'],
  ],
  [
    'times that are the wrong way round are swapped',
    { ...film, scenes: [{ duration: 2, visuals: [{ ...text, enterBegin: 1, enterEnd: 0.5 }] }] },
    { ...film, scenes: [{ duration: 2, visuals: [{ ...text, enterBegin: 0.5, enterEnd: 1 }] }] },
    ['set scenes[0].visuals[0].enterBegin 1 0.5', 'set scenes[0].visuals[0].enterEnd 0.5 1'],
  ],
  [
    'null and single items are what was meant by them',
    { ...film, name: null, visuals: { ...text, width: null } },
    { ...film, visuals: [text] },
    [
      'remove name null null',
      'set visuals [object Object] [object Object]',
      'remove visuals[0].width null null',
    ],
  ],
  [
    'colors in the ways of CSS are those of the language',
    {
      ...film,
      backgroundColor: 'rgb(255, 0, 16)',
      scenes: [{ duration: 1, backgroundColor: 'FFF' }],
    },
    { ...film, backgroundColor: '#ff0010', scenes: [{ duration: 1, backgroundColor: '#fff' }] },
    ['set backgroundColor rgb(255, 0, 16) #ff0010', 'set scenes[0].backgroundColor FFF #fff'],
  ],
  [
    'what a format cannot hold is left out',
    { type: 'image', outputFormat: 'jpg', transparent: true, visuals: [text] },
    { type: 'image', outputFormat: 'jpg', visuals: [text] },
    ['remove transparent true null'],
  ],
  [
    'a name loses the characters that it may not have',
    { ...film, name: 'Sale: 50 % off!' },
    { ...film, name: 'Sale  50   off' },
    ['set name Sale: 50 % off! Sale  50   off'],
  ],
  [
    'a number where a string is wanted becomes one',
    { ...film, visuals: [{ ...text, text: 5 }] },
    { ...film, visuals: [{ ...text, text: '5' }] },
    ['set visuals[0].text 5 5'],
  ],
]

for (const [name, sent, repaired, lines] of cases) {
  test(name, (t) => {
    const outcome = repair(sent)
    t.deepEqual(outcome.repaired, repaired)
    const seen = outcome.changes.map(
      ({ action, path, from, to }) => `${action} ${path} ${from} ${to}`,
    )
    t.deepEqual(seen.toSorted(), lines.toSorted())
    t.true(outcome.changes.every(({ why }) => /^[^\n]+\.$/.test(why)))
    t.deepEqual(outcome.remainingErrors, [])
    t.true(outcome.valid)
    t.deepEqual(repair(repaired).changes, [])
  })
}

test('faults that cannot be repaired remain as errors', (t) => {
  const sent = {
    width: 5000,
    visuals: [{ type: 'IMAGE' }, { type: 'TEXT' }, { type: 'IMAGE', src: 'no address' }, 7],
  }
  const { repaired, changes, valid, remainingErrors } = repair(sent)
  t.deepEqual(repaired, sent)
  t.deepEqual([changes, valid], [[], false])
  t.deepEqual(remainingErrors.map(({ field }) => field).toSorted(), [
    ...['visuals[0].src', 'visuals[1]', 'visuals[2].src', 'visuals[3]', 'width'],
  ])
})

test('a number without one meaning remains as an error', (t) => {
  for (const [sent, field] of [
    [{ ...film, width: 0 }, 'width'],
    [{ ...film, height: -40 }, 'height'],
    [{ ...film, visuals: [{ ...text, opacity: 50 }] }, 'visuals[0].opacity'],
    [{ ...film, visuals: [{ ...text, opacity: -50 }] }, 'visuals[0].opacity'],
  ] as const) {
    const { repaired, changes, remainingErrors } = repair(sent)
    t.deepEqual([repaired, changes], [sent, []])
    t.deepEqual(
      remainingErrors.map((each) => each.field),
      [field],
    )
  }
})

test('an unknown text stays where the content is missing', (t) => {
  const visuals = [
    { type: 'TEXT', content: 'Hello' },
    { type: 'IMAGE', url: 'https://example.com/a.png' },
  ]
  const { repaired, changes, valid } = repair({ ...film, visuals })
  t.deepEqual([repaired, changes, valid], [{ ...film, visuals }, [], false])
})

test('placeholders, variables and designer data are content, and left alone', (t) => {
  const content = {
    variables: { opacity: '2', Colour: 'Red' },
    visuals: [
      { ...text, opacity: '{{ opacity }}', text: '{{ Colour }}', designer: { opactiy: '1' } },
    ],
  }
  const { repaired, changes } = repair({ ...content, frameRate: 99 })
  t.deepEqual(repaired, { ...content, frameRate: 60 })
  t.is(changes.length, 1)
})

test('a forbidden body is not repaired', (t) => {
  const sent = JSON.parse('{"frameRate":99,"__proto__":{"a":1}}')
  const { repaired, changes, valid } = repair(sent)
  t.is(repaired, sent)
  t.deepEqual([changes, valid], [[], false])
  for (const payload of [null, 5, 'x', []]) t.is(repair(payload).valid, false)
})

test('long texts of spaces and digits are judged at once', (t) => {
  const spaces = ' '.repeat(190_000)
  const sent = { ...film, width: `1${spaces}x`, backgroundColor: `rgb(1,${spaces}`, name: spaces }
  t.deepEqual(repair(sent).changes, [])
})

const payloads = arbitraryOf(RenderPayload as never)

test('a payload repaired twice is the same as one repaired once', (t) => {
  fc.assert(
    fc.property(payloads, (payload) => {
      const once = repair(payload)
      const twice = repair(once.repaired)
      t.deepEqual(twice.repaired, once.repaired)
      t.deepEqual(twice.changes, [])
      t.is(twice.valid, once.valid)
    }),
    { numRuns: 300, seed: 31 },
  )
})

test('a valid payload comes back unchanged, and the sent one never changes', (t) => {
  let valid = 0
  fc.assert(
    fc.property(payloads, (payload) => {
      const before = structuredClone(payload)
      const { repaired, changes, remainingErrors } = repair(payload)
      t.deepEqual(payload, before)
      if (changes.length > 0) return
      t.is(repaired, payload)
      if (remainingErrors.length === 0) valid += 1
    }),
    { numRuns: 300, seed: 7 },
  )
  t.true(valid > 5, `${valid} were valid`)
})
