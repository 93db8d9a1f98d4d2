import { type Edit, editOf, repairedText } from './edits.ts'
import { projectIn } from './form.ts'
import type { Found, Judgement } from './judge.ts'
import { brokenAt, type Place, placeOf } from './places.ts'

/** A fault or a warning, with its place in the text. */
export type Finding = Place & {
  readonly severity: 'error' | 'warning'
  readonly field: string
  readonly code: string
  readonly message: string
  readonly fix: { readonly why: string; readonly edit: Edit } | null
}

/** Finds the places of a judgement in the text that was judged. */
export function findingsIn(text: string, { found }: Judgement): readonly Finding[] {
  const project = projectIn(text)
  return found.map(({ pointer, change, ...said }) => {
    if (pointer === null) return syntaxFinding(text, said)
    const edit = change && editOf(text, project, change)
    const fix = change && edit ? { why: change.why, edit } : null
    return { ...said, ...placeOf(text, pointer), fix }
  })
}

type Said = Omit<Found, 'pointer' | 'change'>

function syntaxFinding(text: string, said: Said): Finding {
  const place = brokenAt(text) ?? { from: 0, to: Math.min(1, text.length) }
  const seen = /^(?:"[^"\n]{0,40}"?|\S)/.exec(text.slice(place.from))?.[0]
  const got = seen ?? (place.from >= text.length ? 'the end' : 'the end of the line')
  const rule = `JSON must have a value, a comma or a bracket here. Got ${got}.`
  return { ...said, ...place, message: said.message || rule, fix: null }
}

/** Returns the text with every repair made; null where there is none. */
export function repairIn(text: string, { repair }: Judgement): string | null {
  return repair && repairedText(text, repair.repaired, repair.changes)
}
