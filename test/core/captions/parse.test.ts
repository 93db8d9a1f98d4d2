import test from 'ava'
import { parseCaptions } from '../../../core/captions/parse.ts'
import type { FarmError } from '../../../core/errors.ts'

const read = (text: string) => parseCaptions(text, 'subtitle.src')

test('SRT: numbers, commas, several rows, markup left out, any line ends', (t) => {
  const text = [
    '\ufeff1\r\n00:00:01,000 --> 00:00:02,500 X1:0 X2:100\r\n<i>Hello</i>\r\n{\\an8}there &amp; you',
    '\r\n\r\n\r\n2\r\n00:01:02,003 --> 01:00:00,000\r\n1 < 2 > 0\r\n',
  ].join('')
  t.deepEqual(read(text), {
    format: 'srt',
    captions: [
      { start: 1, end: 2.5, text: 'Hello\nthere & you' },
      { start: 62.003, end: 3600, text: '1 < 2 > 0' },
    ],
    warnings: [],
  })
})

test('WebVTT: header, notes, styles and identifiers are skipped, hours may be missing', (t) => {
  const text = `WEBVTT - a title
Kind: captions

NOTE a remark
of two lines

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.000 line:0 align:start
<v Ann>Hi <c.loud>Bob</c>

00:00:03.5 --> 00:00:04.000
&lt;tag&gt; &nbsp;&unknown;
`
  t.deepEqual(read(text), {
    format: 'vtt',
    captions: [
      { start: 1, end: 2, text: 'Hi Bob' },
      { start: 3.5, end: 4, text: '<tag> \u00a0&unknown;' },
    ],
    warnings: [],
  })
})

test('WebVTT: timestamps give the words after them their times', (t) => {
  const text = `WEBVTT

00:00:01.000 --> 00:00:05.000 position:10% line:-2 size:80%
One <00:00:02.000><c>two</c> <00:00:02.500><b>three
four</b> <00:00:01.000>five <00:09.000>six <00:00:04.000>sev<00:00:04.500>en
`
  const [caption] = read(text).captions
  t.is(caption?.text, 'One two three\nfour five six seven')
  // Three to six share 1.5 s; times that go back or leave the cue are ignored.
  const shared = [2.5, 2.95, 3.325, 3.7]
  t.deepEqual(caption?.wordStarts, [1, 2, ...shared, 4])
})

test('WebVTT: a cue of many timestamps is read in good order', (t) => {
  const stamps = Array.from(
    { length: 200 },
    (_, i) => `<00:${String(i % 60).padStart(2, '0')}.000>a`,
  )
  const [caption] = read(`WEBVTT\n\n00:00.000 --> 59:59.000\n${stamps.join(' ')}\n`).captions
  t.is(caption?.wordStarts?.length, 200)
  t.deepEqual(
    caption?.wordStarts,
    caption?.wordStarts?.toSorted((a, b) => a - b),
  )
  t.is(caption?.wordStarts?.[59], 59)
})

test('references are read by name and by number, once', (t) => {
  const { captions } = read(
    one('00:00:01,0 --> 00:00:02,0', '&#39;&#x1F600;&eacute;&amp;lt;&apos;'),
  )
  t.is(captions[0]?.text, "'😀é&lt;'")
})

test('SRT: empty lines in a text, none between captions, numbers as texts', (t) => {
  const text = `1
00:00:01,000 --> 00:00:02,000
One

more
2
00:00:02,000 --> 00:00:03,000
2024
3
00:00:03,000 --> 00:00:04,000
Two

`
  t.deepEqual(
    read(text).captions.map((caption) => caption.text.split(/\n+/).join('|')),
    ['One|more', '2024', 'Two'],
  )
})

test('WebVTT by YouTube: a line of one space belongs to the cue', (t) => {
  const text = `WEBVTT
Kind: captions
Language: en

00:00:00.000 --> 00:00:00.990 align:start position:0%
 
hello<00:00:00.400><c> my</c><00:00:00.600><c> friend</c>

00:00:00.990 --> 00:00:01.000 align:start position:0%
hello my friend
 

00:00:01.000 --> 00:00:02.000 align:start position:0%
hello my friend
nice<00:00:01.500><c> day</c>`
  const { captions, warnings } = read(text)
  t.deepEqual(warnings, [])
  t.deepEqual(captions[0], {
    start: 0,
    end: 0.99,
    text: 'hello my friend',
    wordStarts: [0, 0.4, 0.6],
  })
  t.deepEqual(captions.map(({ start, end, text }) => [start, end, text]).slice(1), [
    [0.99, 1, 'hello my friend'],
    [1, 2, 'hello my friend\nnice day'],
  ])
})

test('tabs, spaces and forms of line ends do not end WebVTT cues', (t) => {
  const cue = 'WEBVTT\n\n00:00.000 --> 00:01.000\n \t\nA\n\u00a0\nB\n\nC is of no cue\n'
  for (const end of ['\n', '\r\n', '\r']) {
    t.is(read(cue.replaceAll('\n', end)).captions[0]?.text, 'A\n\u00a0\nB')
  }
})

for (const [why, times, message] of [
  ['no length', '00:00:00,000 --> 00:00:00,000', 'Its end must be > its start, s. Got 0'],
  [
    'an end before its start',
    '00:00:02,000 --> 00:00:01,000',
    'Got 1, but it starts at 2 (line 2)',
  ],
  ['a minute too many', '00:60:00,000 --> 00:61:00,000', 'Its times must be written like'],
  ['times nobody can read', '0.5 --> 1.5', 'Got "0.5 --> 1.5" (line 2)'],
  ['half a time', '00:00:01,000 -->', 'Got "00:00:01,000 -->" (line 2)'],
  ['a time before the film', '-00:00:02,000 --> -00:00:01,000', 'must end after the film begins'],
] as const) {
  test(`one cue with ${why} is left out with a warning, others stay`, (t) => {
    const good = one('00:00:01,000 --> 00:00:02,000', 'good')
    const { captions, warnings } = read(one(times, 'bad') + good)
    t.deepEqual(captions, [{ start: 1, end: 2, text: 'good' }])
    t.is(warnings.length, 1)
    t.true(warnings[0]?.startsWith('A caption is left out. '), warnings[0])
    t.true(warnings[0]?.includes(message), warnings[0])
    const vtt = `WEBVTT\n\n${times.replaceAll(',', '.')}\nbad\n\n00:01.000 --> 00:02.000\ngood`
    t.is(read(vtt).captions.length, 1)
  })
}

for (const times of [
  '00:00:0a,000 --> 00:00:02,000',
  'NaN:NaN:NaN,NaN --> NaN:NaN:NaN,NaN',
  'undefined --> undefined',
  '??:??:??,??? --> ??:??:??,???',
  '00:00:01,000 --&gt; 00:00:02,000',
  '00:00:01,000 → 00:00:02,000',
  '00:00:01,000 –> 00:00:02,000',
  '00:00:01,000 - 00:00:02,000',
  "00:00:01'000 --> 00:00:02'000",
  '００:００:０１,０００ --> ００:００:０２,０００',
]) {
  test(`an SRT cue with the unreadable time ${times} is no text`, (t) => {
    const good = (n: number) => `${n}\n00:00:0${n},000 --> 00:00:0${n},500\ngood ${n}\n\n`
    const bad = `2\n${times}\nbad\n\n`
    for (const text of [good(1) + bad + good(3), (good(1) + bad).replaceAll(/^\d\n/gm, '')]) {
      const { captions, warnings } = read(text)
      t.deepEqual(
        captions.map((caption) => caption.text),
        text.includes('good 3') ? ['good 1', 'good 3'] : ['good 1'],
      )
      t.is(warnings.length, 1)
    }
    t.is(read(`${good(1).trim()}\n${bad}`).captions[0]?.text, 'good 1', 'without an empty line')
  })
}

for (const end of ['2', '2\n', '2\n00:00:01,0', '2\n00:00:02,000 -', '2\nstray words']) {
  test(`an SRT file cut off after ${JSON.stringify(end)} shows no rest of it`, (t) => {
    const { captions, warnings } = read(`1\n00:00:00,000 --> 00:00:01,000\nGood\n\n${end}`)
    t.deepEqual(captions, [{ start: 0, end: 1, text: 'Good' }])
    t.is(warnings.length, 1)
  })
}

test('a text’s number is no cue where the next cue has it', (t) => {
  const text = `1\n00:00:01,0 --> 00:00:02,0\nCount:\n\n2\nmore\n\n2\n00:00:03,0 --> 00:00:04,0\nB\n`
  const { captions, warnings } = read(text)
  t.deepEqual(captions[0]?.text.split(/\n+/), ['Count:', '2', 'more'])
  t.deepEqual(warnings, [])
})

test('texts with times and arrows stay texts', (t) => {
  for (const said of ['10:30 - 11:00', '10:30 → 11:00', 'A --> B', 'undefined - null?']) {
    t.is(read(one('00:00:01,0 --> 00:00:02,0', said)).captions[0]?.text, said)
  }
})

test('a WebVTT cue with an unreadable time is dropped with a warning', (t) => {
  const { captions, warnings } = read(
    'WEBVTT\n\n00:0a.000 --> 00:02.000\nbad\n\n00:01.000 --> 00:02.000\ngood',
  )
  t.deepEqual(captions, [{ start: 1, end: 2, text: 'good' }])
  t.is(warnings.length, 1)
})

test('a WebVTT with NUL is read, and one without cues shows nothing', (t) => {
  t.is(read('WEBVTT\n\n00:01.000 --> 00:02.000\na\0b').captions[0]?.text, 'a\ufffdb')
  const { captions, warnings } = read('WEBVTT\n\n')
  t.deepEqual([captions, warnings], [[], ['The file has no captions.']])
})

test('a too long or repeated cue is dropped with a warning', (t) => {
  const good = one('00:00:01,000 --> 00:00:02,000', 'good')
  const { captions, warnings } = read(
    one('00:00:01,000 --> 00:00:02,000', 'x'.repeat(1001)) + good + good,
  )
  t.deepEqual(captions, [{ start: 1, end: 2, text: 'good' }])
  t.true(warnings[0]?.includes('Got 1001 (line 2)'))
  t.is(warnings[1], 'A caption is left out. It repeats an earlier caption (line 10).')
})

test('ten warnings are shown, the rest counted', (t) => {
  const bad = Array.from({ length: 30 }, (_, i) => one('00:00:01,000 --> 00:00:01,000', `${i}`))
  const { warnings } = read(bad.join('') + one('00:00:01,000 --> 00:00:02,000'))
  t.is(warnings.length, 11)
  t.is(warnings[10], '20 more captions are left out.')
})

for (const [why, times, expected] of [
  ['hours missing', '00:01,000 --> 00:02,500', [1, 2.5]],
  ['points in an SRT', '00:00:01.000 --> 00:00:02.500', [1, 2.5]],
  ['a comma and a point', '00:00:01,000 --> 00:00:02.500', [1, 2.5]],
  ['no fraction', '00:00:01 --> 00:00:02', [1, 2]],
  ['one digit', '0:0:1,5 --> 0:0:2,25', [1.5, 2.25]],
  ['more digits than milliseconds', '00:00:01.123456 --> 00:00:02.5000000', [1.123, 2.5]],
  ['spaces in them', '00:00:01, 000 -->  00:00:02 ,500', [1, 2.5]],
  ['no spaces', '00:00:01,000-->00:00:02,500', [1, 2.5]],
  ['a short arrow', '00:00:01,000 -> 00:00:02,500', [1, 2.5]],
  ['a start before the film', '-00:00:01,000 --> 00:00:02,500', [0, 2.5]],
  ['a place on the screen', '00:00:01,000 --> 00:00:02,500 X1:1 X2:2 Y1:3 Y2:4', [1, 2.5]],
] as const) {
  test(`SRT: times with ${why} are read`, (t) => {
    const { captions, warnings } = read(one(times))
    t.deepEqual(
      captions.map(({ start, end }) => [start, end]),
      [[...expected]],
    )
    t.deepEqual(warnings, [])
  })
}

test('breaks written as markup are rows, and no markup is shown', (t) => {
  const textOf = (text: string) =>
    read(one('00:00:01,000 --> 00:00:02,000', text)).captions[0]?.text
  t.is(textOf('ONE<br>two<br/>three\\Nfour'), 'ONE\ntwo\nthree\nfour')
  t.is(textOf('a<BR />b\\nc\\hd'), 'a\nb\nc\u00a0d')
  t.is(textOf('{\\an8}{\\i1}top{\\i0} {y:i}<font color="#ff0000" size=12>red</font>'), 'top red')
  t.is(textOf('< i >a</ i > <b>b</b><u>c</u> <s>d</s> <i'), 'a bc d <i')
  t.is(textOf('<ruby>漢字<rt>かんじ</rt></ruby>'), '漢字')
  t.is(
    textOf('I <3 you, 1 < 2 > 0 -> &lt;i&gt; &#9731; --> here'),
    'I <3 you, 1 < 2 > 0 -> <i> ☃ --> here',
  )
})

test('names of SRT cues and lines before the first are no text', (t) => {
  const text =
    'a title\n\nintro\n00:00:01,000 --> 00:00:02,000\nA\n\nscene-2\n00:00:02,000 --> 00:00:03,000\nB\n'
  t.deepEqual(
    read(text).captions.map((caption) => caption.text),
    ['A', 'B'],
  )
})

test('cues in any order are read as they stand', (t) => {
  const text = one('00:00:05,0 --> 00:00:06,0', 'b') + one('00:00:01,0 --> 00:00:02,0', 'a')
  t.deepEqual(
    read(text).captions.map(({ start }) => start),
    [5, 1],
  )
})

test('timestamps in a text without spaces give its words their times', (t) => {
  const text = 'WEBVTT\n\n00:00.000 --> 00:04.000\n今日は<00:02.000>良い天気です\n'
  const [caption] = read(text).captions
  t.is(caption?.wordStarts?.[0], 0)
  t.is(caption?.wordStarts?.[2], 2)
})

test('a caption without text shows nothing', (t) => {
  const { captions } = read('1\n00:00:01,0 --> 00:00:02,0\n\n2\n00:00:02,0 --> 00:00:03,0\nx\n')
  t.deepEqual(captions, [{ start: 2, end: 3, text: 'x' }])
})

const one = (times: string, text = 'x') => `1\n${times}\n${text}\n\n`
const many = (count: number, text: string) => one('00:00:01,0 --> 00:00:02,0', text).repeat(count)

for (const [why, text, code, words] of [
  ['nothing', '', 'media_invalid', 'Got none'],
  ['a page', '<!doctype html>\n<p>Not found</p>', 'media_invalid', 'Line 1 begins no caption'],
  ['a playlist', '#EXTM3U\n#EXTINF:1,\n/etc/passwd', 'media_invalid', 'Line 1 begins no caption'],
  ['times of another kind', one('1.5 --> 2.5'), 'media_invalid', '"1.5 --> 2.5"'],
  ['sixty minutes', one('00:60:00,0 --> 01:61:00,0'), 'media_invalid', '00:60:00,0'],
  ['an end before its start', one('00:00:02,0 --> 00:00:01,0'), 'media_invalid', 'line 2'],
  ['an end at its start', one('00:00:02,0 --> 00:00:02,0'), 'media_invalid', 'line 2'],
  ['a long text', many(1, 'x'.repeat(1001)), 'media_invalid', '<= 1000 characters. Got 1001'],
  ['100,000 captions', many(100_000, 'x'), 'media_too_large', '<= 2000 captions'],
  ['too many words', many(20, 'x '.repeat(400)), 'media_too_large', '<= 6000 words'],
  ['many brackets', many(1, '<'.repeat(200_000)), 'media_invalid', 'Got 200000'],
  ['many arrows', '-->'.repeat(60_000), 'media_invalid', 'Line 1 begins no caption'],
  ['many digits', one(`${'9'.repeat(200_000)} --> 1`), 'media_invalid', 'begins no caption'],
  ['many dots', one(`${'.'.repeat(200_000)} --> 1`), 'media_invalid', 'begins no caption'],
  ['too much Japanese', many(50, '字'.repeat(1000)), 'media_too_large', '<= 40000 letters'],
] as const) {
  test(`refused with its reason: ${why}`, (t) => {
    const error = t.throws<FarmError>(() => read(text))
    t.is(error?.code, code)
    t.is(error?.field, 'subtitle.src')
    t.true(error?.message.includes(words), error?.message)
    t.true((error?.message.length ?? 0) < 200)
  })
}
