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
  })
})

test('WebVTT: header, notes, styles and identifiers are passed over, hours may be missing', (t) => {
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
  // Three to six share 1.5 s; times that go back or leave the cue are no times.
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

test('SRT: empty lines in a text, none between captions, and texts that are numbers', (t) => {
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

test('a caption without text shows nothing', (t) => {
  const { captions } = read('1\n00:00:01,0 --> 00:00:02,0\n\n2\n00:00:02,0 --> 00:00:03,0\nx\n')
  t.deepEqual(captions, [{ start: 2, end: 3, text: 'x' }])
})

const one = (times: string, text = 'x') => `1\n${times}\n${text}\n\n`
const many = (count: number, text: string) => one('00:00:01,0 --> 00:00:02,0', text).repeat(count)

for (const [why, text, code, words] of [
  ['nothing', '', 'media_invalid', 'Got none'],
  ['a header alone', 'WEBVTT\n\n', 'media_invalid', 'Got none'],
  ['a page', '<!doctype html>\n<p>Not found</p>', 'media_invalid', 'Line 1 begins no caption'],
  ['a playlist', '#EXTM3U\n#EXTINF:1,\n/etc/passwd', 'media_invalid', 'Line 1 begins no caption'],
  ['bytes', `${one('00:00:01,0 --> 00:00:02,0')}\0`, 'media_invalid', 'NUL'],
  ['times of another kind', one('1.5 --> 2.5'), 'media_invalid', '"1.5 --> 2.5"'],
  ['sixty minutes', one('00:60:00,0 --> 01:61:00,0'), 'media_invalid', '00:60:00,0'],
  ['an end before its start', one('00:00:02,0 --> 00:00:01,0'), 'media_invalid', 'line 2'],
  ['an end at its start', one('00:00:02,0 --> 00:00:02,0'), 'media_invalid', 'line 2'],
  ['a long text', many(1, 'x'.repeat(1001)), 'media_invalid', '<= 1000 characters. Got 1001'],
  ['100,000 captions', many(100_000, 'x'), 'media_too_large', '<= 2000 captions'],
  ['too many words', many(20, 'x '.repeat(400)), 'media_too_large', '<= 6000 words'],
  ['many brackets', many(1, '<'.repeat(200_000)), 'media_invalid', 'Got 200000'],
  ['many arrows', '-->'.repeat(60_000), 'media_invalid', "A caption's times"],
  ['many digits', one(`${'9'.repeat(200_000)} --> 1`), 'media_invalid', "A caption's times"],
] as const) {
  test(`refused with its reason: ${why}`, (t) => {
    const error = t.throws<FarmError>(() => read(text))
    t.is(error?.code, code)
    t.is(error?.field, 'subtitle.src')
    t.true(error?.message.includes(words), error?.message)
    t.true((error?.message.length ?? 0) < 200)
  })
}
