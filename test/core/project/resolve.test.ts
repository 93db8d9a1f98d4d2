import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { faultsOf, image, outcomeOf, resolved, words } from './outcome.ts'

test('defaults are written out', (t) => {
  const { project } = resolved({ visuals: [image, words] })
  t.like(project, {
    ...{ type: 'video', name: 'unnamed', width: 1280, height: 720, frameRate: 30 },
    ...{ durationMode: 'legacy', outputFormat: 'mp4', backgroundColor: '#ffffff' },
  })
  t.false('duration' in project)
  t.like(project.visuals[0], {
    ...{ field: 'visuals[0]', x: 0, y: 0, position: 'custom', anchor: 'top-left', opacity: 1 },
    ...{ enterBegin: 0, enterEnd: 0, zoomDepth: 1, radius: { tl: 0, tr: 0, br: 0, bl: 0 } },
  })
  t.like(project.visuals[1], { type: 'TEXT', html: 'Hello', style: {} })
})

test('every way to write a value comes out as one', (t) => {
  const filter = { 'hue-rotate': '-90deg', blur: '12.5', invert: true, colorTint: '#ABC' }
  const { project } = resolved({
    backgroundColor: '#F0a',
    visuals: [
      { ...image, type: 'iMaGe', filter, zoom: true, position: 'bottom-right', exitEnd: 4 },
      { ...image, zoom: { depth: 3 }, position: 'top-left', anchor: 'center-center' },
      { type: 'TEXT', text: 'Tom & "Jerry"', html: '  ' },
    ],
  })
  t.is(project.backgroundColor, '#ff00aa')
  t.like(project.visuals[0], {
    filter: { hue: -90, blur: 12.5, invert: 1, tint: '#aabbcc', brightness: 0 },
    ...{ type: 'IMAGE', zoomDepth: 1.2, anchor: 'bottom-right', exitBegin: 4, exitEnd: 4 },
  })
  t.like(project.visuals[1], { zoomDepth: 3, anchor: 'center-center' })
  t.like(project.visuals[2], { html: 'Tom &amp; &quot;Jerry&quot;' })
})

/** Name, payload, and the fault that only its meaning shows. */
const cases: readonly (readonly [string, object, string])[] = [
  [
    'enter ends before it begins',
    { visuals: [{ ...image, enterBegin: 3, enterEnd: 2 }] },
    'visuals[0].enterEnd: enterEnd must be >= enterBegin. Got 2, but enterBegin is 3.',
  ],
  [
    'exit ends before it begins',
    { scenes: [{ visuals: [{ ...image, exitBegin: 3, exitEnd: 2 }] }] },
    'scenes[0].visuals[0].exitEnd: exitEnd must be >= exitBegin. Got 2, but exitBegin is 3.',
  ],
  [
    'sound ends before it begins',
    { audios: [{ src: 'https://a.com/b.mp3', enter: 2, exit: 1 }] },
    'audios[0].exit: exit must be >= enter. Got 1, but enter is 2.',
  ],
  [
    'trim ends before it begins',
    { audios: [{ src: 'https://a.com/b.mp3', audioBegin: 2, audioEnd: 1 }] },
    'audios[0].audioEnd: audioEnd must be >= audioBegin. Got 1, but audioBegin is 2.',
  ],
  [
    'a private address out of a variable',
    { visuals: [{ ...image, src: '{{ u }}' }], variables: { u: 'http://10.0.0.1/a.png' } },
    'visuals[0].src: src must be a URL of a public host; private and unusual addresses are refused. Got "10.0.0.1".',
  ],
  [
    'a caption that ends when it begins',
    { subtitle: { captions: [{ start: 1, end: 1, text: 'a' }] } },
    'subtitle.captions[0].end: end must be > start. Got 1, but start is 1.',
  ],
  [
    'a margin beyond the plan',
    { subtitle: { captions: [], margin: { y: -9000 } } },
    'subtitle.margin.y: y must be >= -8192 px on this plan. Got -9000.',
  ],
  [
    'more captions than can be painted',
    { subtitle: { captions: Array(2001).fill({ start: 0, end: 1, text: 'a' }) } },
    'subtitle.captions: A subtitle must have <= 2000 captions. Got 2001.',
  ],
  [
    'more words than can be painted',
    { subtitle: { captions: Array(13).fill({ start: 0, end: 1, text: 'a '.repeat(490) }) } },
    'subtitle.captions: A subtitle must have <= 6000 words. Got 6370.',
  ],
  [
    'more letters without spaces than can be painted',
    { subtitle: { captions: Array(41).fill({ start: 0, end: 1, text: '字'.repeat(1000) }) } },
    'subtitle.captions: A subtitle must have <= 40000 letters of scripts without spaces. Got more.',
  ],
  [
    'a subtitle in both forms',
    { subtitle: { captions: [], styles: {}, font: { size: 20 } } },
    'subtitle.styles: styles must not be given together with animation, ',
  ],
  [
    'an empty text',
    { visuals: [{ type: 'TEXT', text: '  ' }] },
    'visuals[0].text: A TEXT visual must have text or html that is not empty.',
  ],
  [
    'no text at all',
    { visuals: [{ type: 'TEXT' }] },
    'visuals[0]: A TEXT visual must have text or html that is not empty.',
  ],
  [
    'a script in html',
    { visuals: [{ type: 'TEXT', html: '<script>1</script>' }] },
    'visuals[0].html: ',
  ],
  [
    'a style that fetches',
    { visuals: [{ ...words, style: { background: 'url(//a)' } }] },
    'visuals[0].style.background: ',
  ],
  [
    'a script in an SVG',
    { visuals: [{ type: 'SVG', svg: '<svg><script/></svg>' }] },
    'visuals[0].svg: ',
  ],
  [
    'two scenes of one id',
    { scenes: [{ id: 'a' }, {}, { id: 'a' }] },
    'scenes[2].id: id must be unique among the scenes. Got "a" again.',
  ],
  [
    'a quality for png',
    { type: 'image', quality: 50 },
    'quality: quality must not be given for png: it applies to jpg and webp.',
  ],
  [
    'a transparent jpg',
    { type: 'image', outputFormat: 'jpg', transparent: true },
    'transparent: transparent must not be true for jpg: it applies to png and webp.',
  ],
  [
    'a canvas beyond the plan',
    { width: 1921 },
    'width: width must be <= 1920 px on this plan. Got 1921.',
  ],
  [
    'an element beyond the plan',
    { visuals: [{ ...image, x: -9000 }] },
    'visuals[0].x: x must be >= -8192 px on this plan. Got -9000.',
  ],
  [
    'a film beyond the plan',
    { duration: 301 },
    'duration: duration must be <= 300 s on this plan. Got 301.',
  ],
  [
    'scenes that are too long together',
    { scenes: [{ duration: 200 }, { duration: 101 }] },
    'scenes: The film must be <= 300 s long on this plan. Got 301.',
  ],
  [
    'too many scenes',
    { scenes: new Array(26).fill({ duration: 1 }) },
    'scenes: A project must have <= 25 scenes on this plan. Got 26.',
  ],
  [
    'too many visuals',
    { visuals: new Array(50).fill(image), scenes: [{ visuals: [image] }] },
    'visuals: A project, scenes included, must have <= 50 visuals on this plan. Got 51.',
  ],
]

for (const [title, payload, expected] of cases) {
  test(`meaning: ${title}`, (t) => {
    // An unsupported feature is reported beside its other faults.
    const faults = faultsOf(payload).filter((fault) => !fault.endsWith('is not supported yet.'))
    t.is(faults.length, 1, faults.join('\n'))
    t.true(faults[0]?.startsWith(expected), faults[0])
  })
}

test('a webhookUrl is taken beside the project', (t) => {
  t.deepEqual(faultsOf({}, { webhookUrl: 'https://example.com/hook' }), [])
})

test('every format of a film is taken, and a thumbnail', (t) => {
  const thumbnail = 'https://a.com/poster'
  for (const outputFormat of ['mp4', 'mov', 'webm', 'avi'] as const) {
    t.like(resolved({ outputFormat, thumbnail }).project, { outputFormat, thumbnail })
    t.like(resolved({}, { overrides: { outputFormat } }).project, { outputFormat })
  }
})

test('custom code has its duration, and code without a word is none', (t) => {
  const codeOf = (customCode: object) => {
    const { visuals } = resolved({ visuals: [{ ...words, customCode }] }).project
    return visuals[0]?.type === 'TEXT' ? visuals[0].code : undefined
  }
  t.deepEqual(codeOf({ css: 'a{}' }), { css: 'a{}', js: '', duration: 5 })
  t.deepEqual(codeOf({ js: '1', animationDuration: 2 }), { css: '', js: '1', duration: 2 })
  t.is(codeOf({ css: ' ', animationDuration: 2 }), undefined)
})

test('variables are filled into custom code, and their values must fit', (t) => {
  const variables = { px: 12, seconds: 2.5, all: { css: 'b{}', animationDuration: 1 } }
  const filled = (customCode: unknown) => {
    const { visuals } = resolved({ variables, visuals: [{ ...words, customCode }] }).project
    return visuals[0]?.type === 'TEXT' ? visuals[0].code : undefined
  }
  const customCode = {
    css: 'a{width:{{ px }}px}',
    js: 'f({{px}})',
    animationDuration: '{{ seconds }}',
  }
  t.deepEqual(filled(customCode), { css: 'a{width:12px}', js: 'f(12)', duration: 2.5 })
  t.deepEqual(filled('{{ all }}'), { css: 'b{}', js: '', duration: 1 })
  const tooLong = { css: 'a{}', animationDuration: '{{ much }}' }
  const payload = { variables: { much: 40 }, visuals: [{ ...words, customCode: tooLong }] }
  t.like(outcomeOf({ payload }).faults, [{ field: 'visuals[0].customCode.animationDuration' }])
})

test('a template is not known where only the request is', (t) => {
  const { faults } = outcomeOf({ template: 'tpl_0123456789abcdefghij' })
  t.like(faults, [{ field: 'template', code: 'not_found' }])
})

test('limits of the plan carry their own code', (t) => {
  t.is(outcomeOf({ payload: { width: 1921 } }).faults[0]?.code, 'plan_limit')
  t.deepEqual(faultsOf({ width: 1921 }, {}, plans.studio), [])
})

test('an override of width or height makes the resolution custom', (t) => {
  const { project } = resolved({ resolution: 'full-hd' }, { overrides: { width: 640 } })
  t.like(project, { width: 640, height: 1080 })
})

test('an override of the resolution wins over the size beside it', (t) => {
  const overrides = { resolution: 'sd', width: 999, height: 999 }
  t.like(resolved({ width: 10, height: 10 }, { overrides }).project, { width: 640, height: 480 })
  const custom = { resolution: 'custom' }
  const { project } = resolved({ resolution: 'hd', width: 10 }, { overrides: custom })
  t.like(project, { width: 10, height: 720 })
})

test('overrides come after the variables', (t) => {
  const overrides = { backgroundColor: '#000', name: 'x', frameRate: 24 }
  const payload = { backgroundColor: '{{ c }}', variables: { c: '#fff' }, frameRate: 60 }
  const { project } = resolved(payload, { overrides })
  t.like(project, { backgroundColor: '#000000', name: 'x', frameRate: 24 })
})

test('overrides must suit the kind of project', (t) => {
  const still = { type: 'image' }
  const mismatches: [object, object, string][] = [
    [{}, { quality: 5 }, 'overrides.quality: quality must not be given for a video.'],
    [still, { frameRate: 5 }, 'overrides.frameRate: frameRate must not be given for an image.'],
    [still, { outputFormat: 'mp4' }, 'overrides.outputFormat: outputFormat must be one of png'],
    [{}, { outputFormat: 'png' }, 'overrides.outputFormat: outputFormat must be one of mp4'],
  ]
  for (const [payload, overrides, expected] of mismatches) {
    const faults = faultsOf(payload, { overrides })
    t.is(faults.length, 1)
    t.true(faults[0]?.startsWith(expected), faults[0])
  }
})

test('a designer object stays out of the picture, whatever its content', (t) => {
  const designer = { note: '{{ not a variable of ours }}', box: { ref: '{{ nothing }}' } }
  const { project } = resolved({ visuals: [{ ...words, designer }] })
  t.false('designer' in (project.visuals[0] ?? {}))
  const long = { ...words, designer: { note: 'x'.repeat(200_000) } }
  t.regex(faultsOf({ visuals: [long] })[0] ?? '', /designer must have <= 200000 characters/)
})

const visualDefaults = {
  ...{ x: 0, y: 0, position: 'custom', anchor: 'top-left', opacity: 1, angle: 0, track: 0 },
  ...{ flipH: false, flipV: false, enterBegin: 0, enterEnd: 0 },
  ...{ enterAnimation: null, exitAnimation: null },
}
const noRadius = { tl: 0, tr: 0, bl: 0, br: 0 }

test('the payload comes back with its defaults and its given values unchanged', (t) => {
  const key = { color: '#0F0' }
  const { payload } = resolved({
    visuals: [
      { ...image, zoom: true, chromaKey: key, filter: { blur: '.5' } },
      { ...words, position: 'center-right', enterBegin: 2, exitEnd: 4 },
    ],
    audios: [{ src: 'https://a.com/b.mp3', volume: 0.5 }],
  })
  t.deepEqual(payload, {
    ...{ type: 'video', name: 'unnamed', backgroundColor: '#ffffff', outputFormat: 'mp4' },
    ...{ frameRate: 30, duration: 10, resolution: 'custom', width: 1280, height: 720 },
    visuals: [
      {
        ...{ ...image, ...visualDefaults, exitBegin: 10, exitEnd: 10, radius: noRadius },
        zoom: { depth: 1.2 },
        chromaKey: { color: '#0F0', similarity: 50, blend: 0 },
        filter: {
          ...{ brightness: 0, contrast: 0, saturate: 0, 'hue-rotate': '0', blur: '.5' },
          ...{ invert: 0, colorTint: '#ffffff' },
        },
      },
      {
        ...{ ...words, ...visualDefaults, style: {}, position: 'center-right' },
        ...{ anchor: 'center-right', enterBegin: 2, enterEnd: 2, exitBegin: 4, exitEnd: 4 },
      },
    ],
    audios: [
      {
        ...{ src: 'https://a.com/b.mp3', volume: 0.5, speed: 1, track: 0 },
        ...{ enter: 0, audioBegin: 0, matchDuration: false },
      },
    ],
    scenes: [],
  })
})

test('ends of scenes are written out unless an unread source decides', (t) => {
  const clip = { type: 'VIDEO', src: 'https://a.com/a.mp4' }
  const { payload } = resolved({
    backgroundColor: '#123',
    visuals: [image],
    scenes: [
      {
        duration: 3,
        visuals: [
          { ...words, exitBegin: 2 },
          { ...words, exitBegin: 4 },
        ],
      },
      { visuals: [clip] },
    ],
  })
  const shared = {
    transition: null,
    transitionDuration: 0.5,
    backgroundColor: '#112233',
    audios: [],
  }
  const text = { ...words, ...visualDefaults, style: {} }
  t.deepEqual(payload.scenes, [
    {
      ...{ ...shared, id: 'scene-1', duration: 3, transitionId: 'scene-2' },
      visuals: [
        { ...text, exitBegin: 2, exitEnd: 3 },
        { ...text, exitBegin: 4 },
      ],
    },
    {
      ...{ ...shared, id: 'scene-2', duration: -1 },
      visuals: [
        {
          ...{ ...clip, ...visualDefaults, zoom: false, radius: noRadius, videoBegin: 0 },
          ...{ volume: 1, speed: 1, transition: null, transitionDuration: 0.5 },
        },
      ],
    },
  ])
  t.deepEqual(payload.visuals, [{ ...image, ...visualDefaults, zoom: false, radius: noRadius }])
  t.false('duration' in payload)
})

test('a still comes back with what its format has', (t) => {
  const still = (outputFormat: string) => resolved({ type: 'image', outputFormat }).payload
  const common = { type: 'image', snapshotTime: 0, width: 1280, height: 720, visuals: [] }
  t.like(still('webp'), { ...common, quality: 90, transparent: false })
  t.like(still('png'), { ...common, transparent: false })
  t.false('quality' in still('png'))
  t.false('transparent' in still('jpg'))
  t.false('scenes' in still('jpg'))
})

test('blur may be written as any plain number from 0 to 100', (t) => {
  const blurOf = (blur: unknown) => resolved({ visuals: [{ ...image, filter: { blur } }] }).project
  for (const blur of ['.5', '007', '5.', '+5', '100', '0100.00', '0', 12.5]) {
    t.like(blurOf(blur).visuals[0], { filter: { blur: Number(blur) } }, String(blur))
  }
  for (const blur of ['101', '100.1', '5px', '-1', '', '.', '1e1', ' 5']) {
    t.regex(faultsOf({ visuals: [{ ...image, filter: { blur } }] })[0] ?? '', /blur must be/, blur)
  }
})
