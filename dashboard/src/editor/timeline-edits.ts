import { pointerInto } from '../../../core/project/pointers.ts'
import type { Edit } from './edits.ts'
import { findPointer } from './places.ts'
import type { Bar } from './timeline-layout.ts'

/** A part of a bar that is moved: all of it, or one of its edges. */
export type Grip = 'whole' | 'begin' | 'end'

/** Times of a bar, seconds of the film. */
export type Times = Pick<Bar, 'begin' | 'enterEnd' | 'exitBegin' | 'end'>

/** Parts of a bar that can be moved; a subtitle has its own clock. */
export function gripsOf({ kind }: Bar): readonly Grip[] {
  if (kind === 'subtitle') return []
  return kind === 'scene' ? ['end'] : ['begin', 'whole', 'end']
}

/**
 * Moves a part of a bar to whole frames. Its animations keep their lengths where there is room; it stays
 * within its scene or film, and is never shorter than a frame. A scene may become longer.
 */
export function moved(
  bar: Bar,
  { grip, seconds, frameRate }: { grip: Grip; seconds: number; frameRate: number },
): Times {
  const frame = 1 / frameRate
  const snapped = (time: number) => Math.round(time * frameRate) / frameRate
  const { begin, enterEnd, exitBegin, end, within } = bar
  if (bar.kind === 'scene') {
    const last = snapped(Math.max(begin + leastScene, end + seconds))
    return { begin, enterEnd: begin, exitBegin: last, end: last }
  }
  if (grip === 'whole') {
    const by = snapped(clamp(begin + seconds, within.begin, within.end - (end - begin))) - begin
    return times(begin + by, enterEnd + by, exitBegin + by, end + by)
  }
  if (grip === 'begin') {
    const first = snapped(clamp(begin + seconds, within.begin, end - frame))
    return times(
      first,
      Math.min(enterEnd - begin + first, Math.max(exitBegin, first)),
      exitBegin,
      end,
    )
  }
  const last = snapped(clamp(end + seconds, begin + frame, within.end))
  return times(begin, enterEnd, Math.max(exitBegin - end + last, Math.min(enterEnd, last)), last)
}

/** The shortest scene that the farm takes, seconds. */
const leastScene = 0.1

function times(begin: number, enterEnd: number, exitBegin: number, end: number): Times {
  return {
    ...{ begin, end },
    enterEnd: clamp(enterEnd, begin, end),
    exitBegin: clamp(exitBegin, begin, end),
  }
}

const clamp = (value: number, least: number, most: number) =>
  Math.min(Math.max(least, most), Math.max(least, value))

/**
 * Returns the edits that write a bar's new times into the text, as one change. Undefined where a
 * variable decides them, or the text has no such element.
 */
export function timeEdits(
  text: string,
  project: unknown,
  { bar, next }: { bar: Bar; next: Times },
): readonly Edit[] | undefined {
  const found = findPointer(text, pointerInto(project, bar.field))
  if (!found?.isWhole || found.value.name !== 'Object') return undefined
  const element = JSON.parse(text.slice(found.value.from, found.value.to))
  const wanted = Object.entries(fieldsOf(bar, next)).filter(
    ([name, value]) => name in element || value.isNeeded,
  )
  if (wanted.some(([name]) => typeof (element[name] ?? 0) !== 'number')) return undefined
  const changed = wanted.filter(([name, { value }]) => element[name] !== value)
  const present = changed.filter(([name]) => name in element)
  const added = changed.filter(([name]) => !(name in element))
  const replaced = present.flatMap(([name, { value }]): Edit[] => {
    const property = findPointer(text, `${pointerInto(project, bar.field)}/${name}`)
    return property ? [{ ...placeOfNode(property.value), insert: String(value) }] : []
  })
  const insertion = added.length > 0 ? [insertionInto(text, found.value, added)] : []
  return [...replaced, ...insertion].toSorted((a, b) => a.from - b.from)
}

type Field = { readonly value: number; readonly isNeeded: boolean }

/** Fields of an element for these times. `isNeeded`: written even where the element has none. */
function fieldsOf(bar: Bar, next: Times): Readonly<Record<string, Field>> {
  const at = (time: number) => Math.round((time - bar.within.begin) * 1000) / 1000
  const field = (time: number, isNeeded: boolean): Field => ({ value: at(time), isNeeded })
  const isLater = next.begin !== bar.begin
  const isShorter = next.end !== bar.end
  if (bar.kind === 'scene') {
    return {
      duration: { value: Math.round((next.end - next.begin) * 1000) / 1000, isNeeded: true },
    }
  }
  if (bar.kind === 'audio') {
    return { enter: field(next.begin, isLater), exit: field(next.end, isShorter) }
  }
  const hasEnter = bar.enterEnd > bar.begin
  const hasExit = bar.exitBegin < bar.end
  return {
    enterBegin: field(next.begin, isLater),
    enterEnd: field(next.enterEnd, isLater && hasEnter),
    exitBegin: field(next.exitBegin, isShorter && hasExit),
    exitEnd: field(next.end, isShorter),
  }
}

type Node = NonNullable<ReturnType<typeof findPointer>>['value']

const placeOfNode = ({ from, to }: Node) => ({ from, to })

/** Adds properties after the last one, laid out as it is. */
function insertionInto(
  text: string,
  object: Node,
  added: readonly (readonly [name: string, field: Field])[],
): Edit {
  const last = object.getChildren('Property').at(-1)
  const words = added.map(([name, { value }]) => `${JSON.stringify(name)}: ${value}`)
  if (!last) return { from: object.from + 1, to: object.from + 1, insert: words.join(', ') }
  const before = text.slice(0, last.from)
  const gap = /\n[ \t]*$/.exec(before)?.[0] ?? ' '
  return { from: last.to, to: last.to, insert: words.map((word) => `,${gap}${word}`).join('') }
}
