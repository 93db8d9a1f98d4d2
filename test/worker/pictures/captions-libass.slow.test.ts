import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { type Shot, studioFor } from './studio.ts'

/**
 * Compares captions with libass itself, which Debian's ffmpeg has as a filter. The fonts in libass/
 * are three of the bundled ones as TTF, which libass reads: Latin letters alone, Montserrat and
 * Poppins in bold.
 */

const shoot = studioFor(test)
const folder = mkdtempSync(join(tmpdir(), 'farm-libass-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const fonts = join(import.meta.dirname, 'libass')
const ffmpeg = ['/usr/bin/ffmpeg', 'ffmpeg'].find((program) => {
  try {
    return / ass +V->V/.test(String(execFileSync(program, ['-v', 'error', '-filters'])))
  } catch {
    return false
  }
})
// Serial: a browser whose node is busy for seconds counts as hanging.
const testWithLibass = ffmpeg === undefined ? test.skip : test.serial

const edge = 720
const margin = Math.round(edge * 0.05)
const families = [
  { family: 'Montserrat', bold: true },
  { family: 'Poppins', bold: true },
  { family: 'Inter', bold: false },
]
const texts = [
  'You only need six things',
  'Captions are divided into rows that are about equally long',
  'One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen',
  'A first row\nand a second one which is longer than the others are and has to be divided',
]
const places = { top: 8, center: 5, bottom: 2, 'bottom-left': 1, 'top-right': 9 } as const

type Box = { left: number; top: number; right: number; bottom: number }
type Look = { family: string; size: number; stroke: number; position: keyof typeof places }
type Event = { start: number; end: number; text: string }

function assOf({ family, size, stroke, position }: Look, events: readonly Event[]): string {
  const clock = (second: number) => `0:00:0${second.toFixed(2)}`
  const style = [
    ...['D', `Golden ${family}`, size, '&H00FFFFFF', '&H00FFFFFF', '&H000000FF', '&H00000000'],
    ...[0, 0, 0, 0, 100, 100, 0, 0, 1, stroke, 0, places[position], margin, margin, margin, 1],
  ]
  const lines = events.map(({ start, end, text }) => {
    const words = text.replaceAll('\n', '\\N')
    return `Dialogue: 0,${clock(start)},${clock(end)},D,,0,0,0,,${words}`
  })
  const names =
    'Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, ' +
    'Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, ' +
    'MarginL, MarginR, MarginV, Encoding'
  return `[Script Info]
ScriptType: v4.00+
PlayResX: ${edge}
PlayResY: ${edge}
WrapStyle: 0
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: ${names}
Style: ${style.join(',')}

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
${lines.join('\n')}
`
}

const run = promisify(execFile)

async function libassShot(
  look: Look,
  events: readonly Event[],
  second: number,
): Promise<Pick<Shot, 'at'>> {
  const file = join(folder, 'captions.ass')
  writeFileSync(file, assOf(look, events))
  const source = ['-f', 'lavfi', '-i', `color=c=black:s=${edge}x${edge}:r=10:d=5,format=rgb24`]
  const filter = ['-vf', `ass=${file}:fontsdir=${fonts},format=rgb24`]
  const one = ['-ss', String(second), '-frames:v', '1', '-f', 'rawvideo', 'pipe:1']
  const { stdout: raw } = await run(ffmpeg ?? '', ['-v', 'error', ...source, ...filter, ...one], {
    encoding: 'buffer',
    maxBuffer: 1 << 24,
  })
  return {
    at: (x, y) => [...raw.subarray((y * edge + x) * 3, (y * edge + x) * 3 + 3)],
  }
}

/**
 * Rows of letters from top to bottom: letters are white, strokes are red, and nothing else is
 * visible.
 */
function rowsOf({ at }: Pick<Shot, 'at'>, isInk: (pixel: number[]) => boolean): Box[] {
  const rows: Box[] = []
  let open: Box | undefined
  for (let y = 0; y < edge; y += 1) {
    const columns = Array.from({ length: edge }, (_, x) => x).filter((x) => isInk(at(x, y)))
    const [left] = columns
    if (left === undefined) {
      open = undefined
      continue
    }
    const right = (columns.at(-1) ?? left) + 1
    if (!open) {
      open = { left, top: y, right, bottom: y + 1 }
      rows.push(open)
    }
    open.left = Math.min(open.left, left)
    open.right = Math.max(open.right, right)
    open.bottom = y + 1
  }
  return rows
}

const isLetter = ([, green = 0]: number[]) => green > 128
const isDrawn = ([red = 0]: number[]) => red > 128

function differences(ours: readonly Box[], theirs: readonly Box[]): number {
  if (ours.length !== theirs.length || theirs.length === 0) return Number.POSITIVE_INFINITY
  const sides = ['left', 'top', 'right', 'bottom'] as const
  return Math.max(
    ...theirs.flatMap((box, i) =>
      sides.map((side) => Math.abs((ours[i] as Box)[side] - box[side])),
    ),
  )
}

const farmShot = (
  { family, size, stroke, position }: Look,
  captions: readonly object[],
  { second, bold, more = {} }: { second: number; bold: boolean; more?: object },
) => {
  const white = '#ffffff'
  const activeWord = { color: white, background: '#000000' }
  const subtitle = {
    ...{ captions, position, activeWord, font: { family, size, bold, color: white } },
    ...(stroke > 0 && { stroke: { color: '#ff0000', width: stroke } }),
    ...more,
  }
  const film = { width: edge, height: edge, duration: 5, frameRate: 10, backgroundColor: '#000000' }
  return shoot({ frame: second * 10, payload: { ...film, subtitle } })
}

const looks = [
  ['bottom', 65, 0],
  ['top', 48, 6],
  ['center', 40, 3],
  ['bottom-left', 52, 0],
  ['top-right', 52, 0],
] as const

for (const [k, { family, bold }] of families.entries()) {
  for (const [i, text] of texts.entries()) {
    for (const turn of [0, 2]) {
      const [position, size, stroke] = looks[
        (i + k + turn) % looks.length
      ] as (typeof looks)[number]
      testWithLibass(
        `rows stand as in libass: ${family}, text ${i + 1}, ${position}`,
        async (t) => {
          const look = { family, size, stroke, position }
          const caption = { start: 0, end: 5, text }
          const theirs = await libassShot(look, [caption], 1)
          const ours = await farmShot(look, [caption], { second: 1, bold })
          const letters = [rowsOf(ours, isLetter), rowsOf(theirs, isLetter)] as const
          t.true(differences(...letters) <= 2, JSON.stringify(letters))
          const drawn = [rowsOf(ours, isDrawn), rowsOf(theirs, isDrawn)] as const
          t.true(differences(...drawn) <= 2, JSON.stringify(drawn))
        },
      )
    }
  }
}

/** All words end before second 2, so that none is active any more. */
const said = (text: string) =>
  text.split(/\s/).map((word, i) => ({ start: i / 20, end: (i + 1) / 20, text: word }))

for (const animation of [
  ...['normal', 'none', 'one-word', 'karaoke', 'progressive', 'highlight', 'fill', 'pop', 'bounce'],
  ...['fade', 'slide', 'typewriter'],
]) {
  for (const { family, bold } of families) {
    testWithLibass(`rows of ${animation} stand as in libass: ${family}`, async (t) => {
      const [, text = ''] = texts
      const look = { family, size: 60, stroke: 4, position: 'bottom' } as const
      const isAlone = animation === 'one-word'
      const shown = isAlone ? (text.split(' ').at(-1) ?? '') : text
      const theirs = await libassShot(look, [{ start: 0, end: 5, text: shown }], 3)
      const ours = await farmShot(look, [{ start: 0, end: 5, text, words: said(text) }], {
        ...{ second: isAlone ? 0.9 : 3, bold, more: { animation } },
      })
      const letters = [rowsOf(ours, isLetter), rowsOf(theirs, isLetter)] as const
      t.true(differences(...letters) <= 2, JSON.stringify(letters))
    })
  }
}

testWithLibass('captions that overlap in time stand as in libass, at every moment', async (t) => {
  const captions = [
    { start: 0, end: 2, text: 'You only need six things' },
    { start: 1, end: 3, text: 'Captions that overlap in time are divided, too' },
    { start: 1.5, end: 4, text: 'THIRD' },
    { start: 2.5, end: 5, text: 'Fourth' },
  ]
  for (const position of ['bottom', 'top'] as const) {
    for (const stroke of [0, 6]) {
      const look = { family: 'Montserrat', size: 50, stroke, position } as const
      for (const second of [0.5, 1.2, 1.8, 2.2, 2.8, 3.5, 4.5]) {
        const theirs = rowsOf(await libassShot(look, captions, second), isLetter)
        const ours = rowsOf(await farmShot(look, captions, { second, bold: true }), isLetter)
        t.true(differences(ours, theirs) <= 2, JSON.stringify({ position, second, ours, theirs }))
      }
    }
  }
})

testWithLibass('strokes have round joins, as those of libass', async (t) => {
  const look = { family: 'Montserrat', size: 98, stroke: 10, position: 'bottom' } as const
  const caption = { start: 0, end: 5, text: 'WAVY M1NT 41' }
  const theirs = await libassShot(look, [caption], 1)
  const ours = await farmShot(look, [caption], { second: 1, bold: true })
  let unlike = 0
  let all = 0
  for (let y = 0; y < edge; y += 1) {
    for (let x = 0; x < edge; x += 1) {
      const [one, other] = [isDrawn(ours.at(x, y)), isDrawn(theirs.at(x, y))]
      if (one || other) all += 1
      if (one !== other) unlike += 1
    }
  }
  t.true(unlike / all < 0.02, `${unlike} of ${all} px`)
})
