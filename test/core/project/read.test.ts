import test from 'ava'
import { readRequest } from '../../../core/project/read.ts'
import { faultsOf, image, outcomeOf, words } from './outcome.ts'

/** Name, payload, and every fault of it. */
const cases: readonly (readonly [string, object, readonly string[]])[] = [
  ['an empty project is in order', {}, []],
  [
    'a number above its range',
    { visuals: [{ ...image, opacity: 1.5 }] },
    ['visuals[0].opacity: opacity must be <= 1. Got 1.5.'],
  ],
  ['a number below its range', { frameRate: 0 }, ['frameRate: frameRate must be >= 1. Got 0.']],
  [
    'a fraction where a whole number belongs',
    { width: 10.5 },
    ['width: width must be a whole number >= 1. Got 10.5.'],
  ],
  [
    'a text where a number belongs',
    { duration: 'long' },
    ['duration: duration must be a number >= 0.1. Got "long".'],
  ],
  [
    'null is no number',
    { duration: null },
    ['duration: duration must be a number >= 0.1. Got null.'],
  ],
  [
    'a misspelt property',
    { visuals: [{ ...image, opacty: 1 }] },
    ['visuals[0].opacty: "opacty" is not a property of an IMAGE visual. Did you mean "opacity"?'],
  ],
  ['a property nobody knows', { zzz: 1 }, ['zzz: "zzz" is not a property of a video project.']],
  [
    'a property of another visual',
    { visuals: [{ ...words, radius: {} }] },
    [
      'visuals[0].radius: "radius" is not a property of a TEXT visual: it belongs to an IMAGE visual or a GIF visual or a VIDEO visual.',
    ],
  ],
  [
    'an unknown visual',
    { visuals: [{ type: 'SOUND' }] },
    ['visuals[0].type: type must be one of IMAGE, GIF, VIDEO, TEXT, SVG. Got "SOUND".'],
  ],
  [
    'a visual without a type',
    { visuals: [{}] },
    ['visuals[0].type: type must be one of IMAGE, GIF, VIDEO, TEXT, SVG. Got nothing.'],
  ],
  [
    'a placeholder as the type of a visual',
    { visuals: [{ type: '{{ t }}' }] },
    ['visuals[0].type: type must be one of IMAGE, GIF, VIDEO, TEXT, SVG. Got "{{ t }}".'],
  ],
  [
    'variables given by a placeholder',
    { variables: '{{ v }}' },
    ['variables: variables must be an object. Got "{{ v }}".'],
  ],
  [
    'a visual without its source',
    { visuals: [{ type: 'image' }] },
    ['visuals[0].src: src must be given.'],
  ],
  [
    'a color by name',
    { backgroundColor: 'red' },
    ['backgroundColor: backgroundColor must be a color like #rgb or #rrggbb. Got "red".'],
  ],
  [
    'a misspelt animation',
    { visuals: [{ ...image, enterAnimation: 'slidleft' }] },
    [/enterAnimation must be one of fade, .*, revealdown\. Got "slidleft"/.source],
  ],
  [
    'a scene of no length',
    { scenes: [{ duration: 0 }] },
    ['scenes[0].duration: duration must be -1 or a number >= 0.1. Got 0.'],
  ],
  [
    'a zoom that is too deep',
    { visuals: [{ ...image, zoom: { depth: 11 } }] },
    ['visuals[0].zoom.depth: depth must be <= 10. Got 11.'],
  ],
  [
    'a blur with a unit',
    { visuals: [{ ...image, filter: { blur: '3px' } }] },
    ['visuals[0].filter.blur: blur must be a numeric string from 0 to 100. Got "3px".'],
  ],
  [
    'a tag in plain text',
    { visuals: [{ type: 'TEXT', text: 'a <b>' }] },
    [
      'visuals[0].text: text must be text without "<", ">" and control characters such as line breaks; write html instead, with <br> for a line break and &lt; for "<". Got "a <b>".',
    ],
  ],
  [
    'a subtitle with two sources',
    { subtitle: { src: 'https://a.com/x', captions: [] } },
    ['subtitle: Exactly one of src and captions must be given. Got src and captions.'],
  ],
  [
    'a still with a length',
    { type: 'image', duration: 3 },
    ['duration: "duration" is not a property of an image project: it belongs to a video project.'],
  ],
  [
    'a still with a GIF',
    { type: 'image', visuals: [{ type: 'GIF', src: image.src }] },
    ['visuals[0].type: type must be one of IMAGE, TEXT, SVG. Got "GIF".'],
  ],
  [
    'a film with a quality',
    { quality: 3 },
    ['quality: "quality" is not a property of a video project: it belongs to an image project.'],
  ],
  [
    'a still as a film file',
    { type: 'image', outputFormat: 'mp4' },
    ['outputFormat: outputFormat must be one of png, jpg, jpeg, webp. Got "mp4".'],
  ],
]

for (const [title, payload, expected] of cases) {
  test(`shape: ${title}`, (t) => {
    const faults = faultsOf(payload)
    t.is(faults.length, expected.length, faults.join('\n'))
    for (const [i, fault] of faults.entries()) {
      const rule = expected[i] ?? ''
      t.true(fault === rule || new RegExp(rule).test(fault), fault)
    }
  })
}

test('all a request’s faults come in one pass, each with its path', (t) => {
  const { faults } = outcomeOf({
    payload: {
      name: 'a/b',
      visuals: [{ ...image, angle: 361 }, 5],
      scenes: [{ id: 'a b', audios: [{ volume: 3 }] }],
    },
    overrides: { width: 0, colour: '#fff' },
    jobId: 'no uuid',
  })
  t.deepEqual(faults.map(({ field }) => field).sort(), [
    'jobId',
    'name',
    'overrides.colour',
    'overrides.width',
    'scenes[0].audios[0].src',
    'scenes[0].audios[0].volume',
    'scenes[0].id',
    'visuals[0].angle',
    'visuals[1]',
  ])
  t.true(faults.every(({ code }) => code === 'invalid_request'))
})

test('a hostile URL is named beside faults of shape, wherever it stands', (t) => {
  const src = 'http://169.254.169.254/latest'
  const { faults } = outcomeOf({
    payload: {
      frameRate: 0,
      thumbnail: 'https://user:secret@example.com/a.png',
      subtitle: { src: 'http://localhost/a.srt' },
      visuals: [
        { type: 'gif', src },
        { type: 'Video', src: 'https://a.com:8443/v.mp4' },
      ],
      audios: [{ src: 'ftp://a.com/x' }],
      scenes: [{ visuals: [{ ...image, src: 'https://10.0.0.1/a' }], audios: [{ src: 'x' }] }],
    },
    webhookUrl: 'https://hooks.local/x',
  })
  t.deepEqual(faults.map(({ field }) => field).sort(), [
    'audios[0].src',
    'frameRate',
    'scenes[0].audios[0].src',
    'scenes[0].visuals[0].src',
    'subtitle.src',
    'thumbnail',
    'visuals[0].src',
    'visuals[1].src',
    'webhookUrl',
  ])
  const shapeless = faults.filter(({ code }) => code === 'invalid_request')
  // A pattern covers these; it cannot check whether an address is public.
  t.deepEqual(shapeless.map(({ field }) => field).sort(), [
    ...['audios[0].src', 'frameRate', 'scenes[0].audios[0].src', 'thumbnail'],
  ])
})

test('a URL with a placeholder in it waits for its variables', (t) => {
  const payload = { visuals: [{ ...image, src: 'http://{{ host }}/a.png' }] }
  t.true('request' in readRequest({ payload }))
  const { faults } = outcomeOf({ payload, variables: { host: '127.0.0.1' } })
  t.like(faults, [{ field: 'visuals[0].src', code: 'invalid_project' }])
})

test('hosts that are trusted are so from the first pass on', (t) => {
  const body = { payload: { visuals: [{ ...image, src: 'http://127.0.0.1:8123/a.png' }] } }
  t.true('request' in readRequest(body, { trustedHosts: ['127.0.0.1:8123'] }))
  t.like(readRequest(body, { trustedHosts: ['127.0.0.1:80'] }), {
    faults: [{ field: 'visuals[0].src' }],
  })
})

test('$schema is for editors: a request may not carry it', (t) => {
  t.deepEqual(faultsOf({ $schema: '../schema.json' }), [
    '$schema: "$schema" is not a property of a video project.',
  ])
  t.like(outcomeOf({ $schema: 'x', payload: {} }).faults, [{ field: '$schema' }])
})

test('almost any field takes a placeholder instead of its value', (t) => {
  const p = '{{ any.thing.0 }}'
  const visual = { ...image, x: p, opacity: p, zoom: p, radius: { tl: p }, filter: p, flipH: p }
  const read = readRequest({
    payload: {
      ...{ name: `of ${p}`, width: p, resolution: p, outputFormat: p, scenes: p },
      visuals: [visual, { type: 'TEXT', html: p, style: { color: p, '--n': p } }],
      audios: [{ src: `https://${p}/x.mp3`, matchDuration: p }],
    },
  })
  t.true('request' in read)
})

test('exactly one of payload and template is required', (t) => {
  const template = 'tpl_0123456789abcdefghij'
  t.regex(outcomeOf({}).faults[0]?.message ?? '', /Exactly one of payload and template/)
  t.regex(outcomeOf({ payload: {}, template }).faults[0]?.message ?? '', /Got payload and template/)
  t.regex(outcomeOf([]).faults[0]?.message ?? '', /must be a JSON object/)
})

test('names reaching into the machinery of objects are refused at every depth', (t) => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    const body = JSON.parse(`{"payload":{"variables":{"a":[{"${name}":{"x":1}}]}}}`)
    const read = readRequest(body)
    t.like(read, { faults: [{ field: `variables.a[0].${name}` }] })
  }
})

test('a body out of bounds is refused without being read further', (t) => {
  const deep = JSON.parse(`{"payload":{"variables":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}}`)
  t.like(readRequest(deep), { faults: [{ message: 'must be nested <= 64 levels deep.' }] })
  const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]))
  const crowded = readRequest({ payload: { variables: keys } })
  t.like(crowded, { faults: [{ message: 'The request must have <= 20000 properties in all.' }] })
  const long = readRequest({ payload: { variables: { a: new Array(10_001).fill(0) } } })
  t.like(long, {
    faults: [{ field: 'variables.a', message: 'must have <= 10000 items. Got 10001.' }],
  })
})

test('text that no database holds is named by place beside other faults', (t) => {
  const { faults } = outcomeOf({
    payload: { visuals: [{ type: 'TEXT', text: 'a' }], frameRate: 61 },
    variables: { list: ['fine 😀', 'a\0b'], half: 'x\ud83d', 'na\0me': 1 },
  })
  const rule = 'Text must be well-formed Unicode without NUL.'
  t.deepEqual(
    faults.filter(({ message }) => message.startsWith(rule)),
    [
      { field: 'variables', pointer: '/variables', message: `${rule} Got NUL at position 2.` },
      {
        field: 'variables.list[1]',
        pointer: '/variables/list/1',
        message: `${rule} Got NUL at position 1.`,
      },
      {
        field: 'variables.half',
        pointer: '/variables/half',
        message: `${rule} Got a lone surrogate.`,
      },
    ].map((fault) => ({ ...fault, code: 'invalid_project' as const })),
  )
  t.true(faults.some(({ field }) => field === 'frameRate'))
})

test('a flood of faults is cut off, and says so', (t) => {
  const visuals = Array.from({ length: 9000 }, () => 1)
  const { faults } = outcomeOf({ payload: { visuals } })
  t.is(faults.length, 501)
  t.regex(faults.at(-1)?.message ?? '', /more than 500 errors/)
})

test('infinite numbers in free JSON are faults of meaning, named by place', (t) => {
  const body = JSON.parse(
    '{"payload":{"visuals":[]},"variables":{"a":1e999,"list":[1,{"b":-1e400}],"fine":1e308}}',
  )
  const read = readRequest(body)
  t.deepEqual('faults' in read ? read.faults : [], [
    {
      ...{ field: 'variables.a', pointer: '/variables/a', code: 'invalid_project' },
      message: 'a must be a finite number. Got Infinity.',
    },
    {
      ...{ field: 'variables.list[1].b', pointer: '/variables/list/1/b', code: 'invalid_project' },
      message: 'b must be a finite number. Got -Infinity.',
    },
  ])
})

test('numbers beyond a number’s range are named with other faults of shape', (t) => {
  const body = JSON.parse(
    '{"payload":{"frameRate":1e999,"visuals":[{"type":"IMAGE","src":"https://a.com/a.png","x":1e999,"opacity":1e400}]}}',
  )
  const read = readRequest(body)
  const faults = 'faults' in read ? read.faults.map((f) => `${f.field}: ${f.message}`) : []
  t.deepEqual(faults.toSorted(), [
    'frameRate: frameRate must be a finite number. Got Infinity.',
    'visuals[0].opacity: opacity must be a finite number. Got Infinity.',
    'visuals[0].x: x must be a finite number. Got Infinity.',
  ])
  const codes = 'faults' in read ? read.faults.map(({ code }) => code) : []
  t.deepEqual(codes, ['invalid_request', 'invalid_request', 'invalid_request'])
})
