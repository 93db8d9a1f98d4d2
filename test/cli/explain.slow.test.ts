import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { farm, newFolder } from './run-farm.ts'

const folder = newFolder()
mkdirSync(join(folder, 'media'))
writeFileSync(join(folder, 'media', 'photo.jpg'), 'not looked at')

function project(name: string, content: object): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify({ $schema: '../schema.json', ...content }))
  return file
}

const reel = project('reel.json', {
  name: 'reel',
  variables: { homes: ['One', 'Two'], font: 'Sora' },
  audios: [{ src: 'https://example.com/bed.mp3', matchDuration: true }],
  visuals: [
    {
      type: 'TEXT',
      text: 'Over all',
      x: 900,
      y: 600,
      track: 9,
      style: { fontFamily: '{{ font }}' },
    },
  ],
  scenes: [
    {
      id: 'home',
      iterate: 'homes',
      duration: 3,
      transition: 'fade',
      transitionDuration: 1,
      visuals: [
        { type: 'IMAGE', src: 'media/photo.jpg', position: 'center-center', resize: 'cover' },
        {
          type: 'TEXT',
          text: '{{ item }}',
          x: 90,
          y: 90,
          track: 1,
          enterEnd: 0.5,
          enterAnimation: 'wipeleft',
        },
      ],
      audios: [{ src: 'https://example.com/voice.mp3', enter: 1 }],
    },
  ],
})

test('explain shows film numbers, and scenes, elements and sounds on one axis', async (t) => {
  const { code, out, err } = await farm(['explain', reel])
  t.is(code, 0, err)
  const lines = out.split('\n')
  t.is(lines[0], 'reel: a film, 1280x720, 30 fps, mp4')
  t.regex(lines[1] ?? '', /^ {2}5 s, 150 frames in \d segments, 5 credits$/)
  const row = (label: string) => lines.find((line) => line.startsWith(label)) ?? ''
  t.regex(row('home-1'), /^home-1 +█+▒+ +0–3 s {2}then fade 1 s$/)
  t.regex(row('home-2'), /^home-2 +█+ +2–5 s$/)
  t.regex(row('   1 TEXT  One'), /▒+█+ +0–3 s {2}in wipeleft$/)
  t.regex(row('   1 TEXT  Two'), / {10}▒+█+ +2–5 s {2}in wipeleft$/)
  t.regex(row('   0 IMAGE photo.jpg'), /█+ +0–3 s$/)
  t.regex(row('  sound voice.mp3'), /┄+ +from 1 s$/)
  t.regex(row('  sound bed.mp3'), /─+ +0–5 s$/)
  t.regex(row('   9 TEXT  Over all'), /█+ +0–5 s$/)
  t.regex(row('segments'), /^segments +\|[|·]+/)
  const top = lines.findIndex((line) => line.includes('TEXT  One'))
  t.true(lines[top + 1]?.includes('IMAGE') ?? false, 'the top layer comes first')
  const bars = lines.filter((line) => /[█─·]{3}/.test(line)).map((line) => line.slice(0, 32))
  t.true(
    bars.every((start) => !/[█▒]/.test(start)),
    'all bars begin in one column',
  )
})

const talk = project('talk.json', {
  duration: 8,
  subtitle: {
    animation: 'karaoke',
    maxWordsPerLine: 2,
    captions: [
      { start: 0, end: 4, text: 'one two six ten' },
      { start: 6, end: 8, text: 'four' },
    ],
  },
  visuals: [
    { type: 'VIDEO', src: 'https://example.com/known.mp4', videoEnd: 2, hasAudio: true },
    { type: 'VIDEO', src: 'https://example.com/perhaps.mp4', enterBegin: 4, enterEnd: 4, speed: 2 },
    { type: 'VIDEO', src: 'https://example.com/still.mp4', hasAudio: false, enterBegin: 8 },
    { type: 'VIDEO', src: 'https://example.com/mute.mp4', volume: 0, enterBegin: 8 },
  ],
})

test('explain shows captions with lines and mode, and sound of clips', async (t) => {
  const { out, err } = await farm(['explain', talk])
  t.is(err, '')
  const row = (label: string) => out.split('\n').find((line) => line.startsWith(label)) ?? ''
  t.regex(row('  captions one two six ten'), / {2}▄+▀+ +▄+ {2}3 lines, karaoke$/)
  t.regex(row('  sound known.mp4'), / {2}─+ +0–2 s$/)
  t.regex(row('  sound perhaps.mp4'), / {4}┄+ +from 4 s$/)
  t.is(row('  sound still.mp4') + row('  sound mute.mp4'), '')
  const file = { duration: 2, subtitle: { src: 'https://example.com/a.vtt', animation: 'pop' } }
  const unread = await farm(['explain', project('unread.json', file)])
  t.regex(unread.out, /^ {2}captions a\.vtt +┄+ {2}lines of a file, pop$/m)
  t.regex(unread.out, /┄ as long as its file lasts/)
  const { subtitle } = JSON.parse((await farm(['explain', talk, '--json'])).out)
  t.like(subtitle, { field: 'subtitle.captions', animation: 'karaoke' })
  t.deepEqual(subtitle.lines.at(-1), { begin: 6, end: 8 })
})

test('explain tells the warnings, and takes variables', async (t) => {
  const { out } = await farm(['explain', reel, '--var', 'font=Nowhere'])
  t.regex(out, /^ {2}1 warning:\n {4}visuals\[0\]: The font family "Nowhere" does not come/m)
  const more = await farm(['explain', reel, '--var', 'homes=["A","B","C"]'])
  t.regex(more.out, /^home-3 /m)
})

test('explain --json has the same data, the payload and local paths', async (t) => {
  const { code, out } = await farm(['explain', reel, '--json'])
  t.is(code, 0)
  const answer = JSON.parse(out)
  t.like(answer, { valid: true, seconds: 5, frames: 150, exact: true, credits: 5, warnings: [] })
  t.deepEqual(
    answer.scenes.map(({ id, begin, end }: Record<string, unknown>) => [id, begin, end]),
    [
      ['home-1', 0, 3],
      ['home-2', 2, 5],
    ],
  )
  t.like(answer.scenes[1].visuals[1], {
    field: 'scenes[0].visuals[1]',
    label: 'Two',
    enterEnd: 2.5,
  })
  t.like(answer.scenes[0].audios[0], { begin: 1, exact: false })
  const frames = answer.segments.reduce(
    (sum: number, each: { frames: number }) => sum + each.frames,
    0,
  )
  t.is(frames, 150)
  t.is(answer.payload.scenes[0].visuals[0].src, 'media/photo.jpg')
  t.is(answer.payload.visuals[0].style.fontFamily, 'Sora')
})

test('explain of a still lists its layers, the top one first', async (t) => {
  const visuals = [
    { type: 'IMAGE', src: 'media/photo.jpg' },
    { type: 'TEXT', html: 'Words &amp; <b>more</b>', track: 3 },
  ]
  const { out } = await farm(['explain', project('still.json', { type: 'image', visuals })])
  t.is(
    out,
    'unnamed: a still, 1280x720, png\n  1 credit\n\n   3 TEXT  Words & more\n   0 IMAGE photo.jpg\n',
  )
})

test('an open length is shown as a minimum, within the plan’s limit', async (t) => {
  const file = project('open.json', {
    scenes: [{ audios: [{ src: 'https://example.com/a.mp3' }] }],
  })
  const { out } = await farm(['explain', file, '--plan', 'free'])
  t.regex(
    out,
    /10 s or longer: a sound or clip that is not read yet decides, .*, up to 300 credits/,
  )
})

test('faults and missing files are reported together, with code 1', async (t) => {
  const file = project('bad.json', {
    visuals: [
      { type: 'IMAGE', src: 'media/nowhere.jpg', opacity: 2 },
      { type: 'IMAGE', src: 'http://10.0.0.1/a.png' },
    ],
  })
  const fields = ['visuals[0].opacity', 'visuals[0].src', 'visuals[1].src']
  for (const command of ['explain', 'validate']) {
    const plain = await farm([command, file])
    t.is(plain.code, 1)
    t.is(plain.out, '')
    const told = [...plain.err.matchAll(/^ {2}(\S+): /gm)].map(([, field]) => field)
    t.deepEqual(told.sort(), fields)
    const json = await farm([command, file, '--json'])
    t.is(json.code, 1)
    const { valid, errors } = JSON.parse(json.out)
    t.false(valid)
    t.deepEqual(errors.map(({ field }: { field: string }) => field).sort(), fields)
    t.true(errors.some(({ pointer }: { pointer: string }) => pointer === '/visuals/1/src'))
  }
})

test('validate is ok with warnings, as text and as JSON', async (t) => {
  const visuals = [{ type: 'TEXT', text: 'Hi', style: { color: '#eee' } }]
  const file = project('pale.json', { duration: 2, visuals })
  const { code, out } = await farm(['validate', file])
  t.is(code, 0)
  t.regex(out, /^ok: .*\n {2}2 s at 30 fps, .*\n {2}1 warning:\n {4}visuals\[0\]: "Hi" has/)
  const json = JSON.parse((await farm(['validate', file, '--json'])).out)
  t.like(json, { valid: true, creditsRequired: 2, seconds: 2, exact: true })
  t.like(json.warnings, [{ field: 'visuals[0]', code: 'low_contrast' }])
})
