import type {
  Outline,
  OutlinedAudio,
  OutlinedScene,
  OutlinedVisual,
} from '../../core/plan/outline.ts'
import { isVisualKind, visualTypes } from '../../core/visuals/visual-types.ts'

/** Draws the timeline as rows of characters: a label, a bar, a note. */

/** `bar`: one character for each column of time. */
type Row = { readonly label: string; readonly bar: string; readonly note: string }

/** Columns of labels and notes; the bars have the rest. */
const labelWidth = 30
const noteWidth = 26

/**
 * Characters of bars. █ visible, ▒ entering, leaving or passing into the next scene; ─ sound, ┄
 * sound and captions whose file is not known; ▄ captions, ▀ every other line of them.
 */
const marks = {
  ...{ seen: '█', moving: '▒', sound: '─', perhaps: '┄' },
  caption: ['▄', '▀'],
} as const

export function ganttLines(outline: Outline, width: number): string[] {
  if (outline.type === 'image') return stillLines(outline, width)
  const clock = { seconds: outline.seconds, columns: width - labelWidth - noteWidth - 4 }
  const rows = [
    ...outline.scenes.flatMap((scene) => sceneRows(scene, clock)),
    ...overRows(outline, clock),
    ...subtitleRows(outline, clock),
    ...outline.audios.map((audio) => soundRow(audio, clock)),
    segmentsRow(outline, clock),
  ]
  const sounds = [...outline.audios, ...outline.scenes.flatMap(({ audios }) => audios)]
  const isOpen = sounds.some(({ exact }) => !exact) || outline.subtitle?.lines === null
  const legend = [
    `${marks.seen} visible`,
    `${marks.moving} in transition`,
    ...(outline.subtitle?.lines ? [`${marks.caption.join('')} captions, line by line`] : []),
    ...(sounds.length > 0 ? [`${marks.sound} sound`] : []),
    ...(isOpen ? [`${marks.perhaps} as long as its file lasts`] : []),
    '(top layer first)',
  ].join('  ')
  return [...axisLines(clock), ...rows.map(lineOf), '', legend]
}

function lineOf({ label, bar, note }: Row): string {
  return `${fitted(label, labelWidth)}  ${bar}  ${note}`.trimEnd()
}

function stillLines({ visuals }: Outline, width: number): string[] {
  return visuals.toReversed().map((visual) => fitted(`  ${nameOf(visual)}`, width).trimEnd())
}

type Clock = { readonly seconds: number; readonly columns: number }

function columnOf(second: number, { seconds, columns }: Clock): number {
  return Math.min(columns, Math.max(0, Math.round((second / seconds) * columns)))
}

/** Draws a bar over the whole clock: `mark` from `begin` to `end`, at least one column of it. */
function barOf(pieces: readonly (readonly [number, number, string])[], clock: Clock): string {
  const cells = Array<string>(clock.columns).fill(' ')
  for (const [begin, end, mark] of pieces) {
    if (end <= begin) continue
    const from = Math.min(clock.columns - 1, columnOf(begin, clock))
    cells.fill(mark, from, Math.max(from + 1, columnOf(end, clock)))
  }
  return cells.join('')
}

const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600]
/** Least columns between two numbers of the axis. */
const axisRoom = 8

function axisLines(clock: Clock): string[] {
  const perColumn = clock.seconds / clock.columns
  const step = steps.find((each) => each / perColumn >= axisRoom) ?? 1200
  let numbers = ''
  let ticks = ''
  for (let n = 0; n * step <= clock.seconds + perColumn / 2; n++) {
    const at = columnOf(n * step, clock)
    const second = Math.round(n * step * 10) / 10
    numbers = numbers.padEnd(at) + (n === 0 ? '0 s' : String(second))
    ticks = `${ticks.padEnd(at, '─')}┬`
  }
  const margin = ' '.repeat(labelWidth + 2)
  return [margin + numbers, margin + ticks.slice(0, clock.columns + 1).padEnd(clock.columns, '─')]
}

function sceneRows(scene: OutlinedScene, clock: Clock): Row[] {
  const { begin, end, transition, id } = scene
  const overlap = end - (transition?.seconds ?? 0)
  const note = transition ? `then ${transition.name} ${seconds(transition.seconds)}` : ''
  const bar = barOf(
    [
      [begin, overlap, marks.seen],
      [overlap, end, marks.moving],
    ],
    clock,
  )
  const head = { label: id, bar, note: `${range(begin, end)}  ${note}` }
  return [
    head,
    ...scene.visuals.toReversed().map((visual) => visualRow(visual, clock)),
    ...scene.audios.map((audio) => soundRow(audio, clock)),
  ]
}

function overRows({ visuals, scenes, seconds }: Outline, clock: Clock): Row[] {
  if (visuals.length === 0) return []
  const over = { label: 'over all scenes', bar: ' '.repeat(clock.columns), note: range(0, seconds) }
  const rows = visuals.toReversed().map((visual) => visualRow(visual, clock))
  return scenes.length > 0 ? [over, ...rows] : rows
}

function visualRow(visual: OutlinedVisual, clock: Clock): Row {
  const { begin, enterEnd, exitBegin, end, enter, exit } = visual
  const pieces = [[begin, end, marks.seen] as const]
  const entering = enter !== null && enterEnd > begin
  const leaving = exit !== null && end > exitBegin
  if (entering) pieces.push([begin, Math.min(enterEnd, end), marks.moving])
  if (leaving) pieces.push([Math.max(begin, exitBegin), end, marks.moving])
  const code = visual.codeSeconds === null ? '' : `code for ${seconds(visual.codeSeconds)}`
  const animations = [entering ? `in ${enter}` : '', code, leaving ? `out ${exit}` : '']
  const note = [range(begin, end), ...animations.filter((each) => each !== '')].join('  ')
  return { label: `  ${nameOf(visual)}`, bar: barOf(pieces, clock), note }
}

function soundRow({ label, begin, end, exact }: OutlinedAudio, clock: Clock): Row {
  const bar = barOf([[begin, end, exact ? marks.sound : marks.perhaps]], clock)
  return {
    label: `  sound ${tail(label)}`,
    bar,
    note: exact ? range(begin, end) : `from ${seconds(begin)}`,
  }
}

function subtitleRows({ subtitle, seconds }: Outline, clock: Clock): Row[] {
  if (!subtitle) return []
  const { field, label, animation, lines } = subtitle
  const words = field === 'subtitle.src' ? tail(label) : label
  const pieces = lines?.map(
    ({ begin, end }, i) => [begin, end, marks.caption[i % 2 === 0 ? 0 : 1]] as const,
  )
  const count = lines && (lines.length === 1 ? '1 line' : `${lines.length} lines`)
  return [
    {
      label: `  captions ${words}`,
      bar: barOf(pieces ?? [[0, seconds, marks.perhaps]], clock),
      note: `${count ?? 'lines of a file'}, ${animation}`,
    },
  ]
}

/** Marks the beginning of each segment with a bar. */
function segmentsRow({ segments }: Outline, clock: Clock): Row {
  const cells = Array<string>(clock.columns).fill('·')
  for (const { begin } of segments) cells[Math.min(clock.columns - 1, columnOf(begin, clock))] = '|'
  return { label: 'segments', bar: cells.join(''), note: `${segments.length}` }
}

function nameOf({ track, type, label }: OutlinedVisual): string {
  const isPainted = isVisualKind(type) && visualTypes[type].painted !== null
  const words = isPainted ? label : tail(label)
  return `${String(track).padStart(2)} ${type.padEnd(5)} ${words}`
}

/** The end of a path or URL says most. */
function tail(source: string): string {
  return source.slice(source.lastIndexOf('/') + 1) || source
}

function range(begin: number, end: number): string {
  return `${seconds(begin, '')}–${seconds(end)}`
}

function seconds(value: number, unit = ' s'): string {
  return `${Math.round(value * 100) / 100}${unit}`
}

/** Cuts or pads a text to `columns`. */
function fitted(text: string, columns: number): string {
  const line = text.replace(/\p{Cc}/gu, ' ')
  const full = columnsOf(line)
  if (full <= columns) return line + ' '.repeat(columns - full)
  let shown = ''
  let used = 0
  for (const character of line) {
    used += columnsOf(character)
    if (used > columns - 1) break
    shown += character
  }
  return `${shown}…${' '.repeat(columns - 1 - columnsOf(shown))}`
}

/** Counts the columns of a text in a terminal: Han, kana, hangul and emoji take two. */
function columnsOf(text: string): number {
  const narrow = text.replace(/[\p{Mn}\p{Cf}]/gu, '')
  const wide = narrow.match(
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]|\p{Emoji_Presentation}/gu,
  )
  return [...narrow].length + (wide?.length ?? 0)
}
