import type { Values } from './form.ts'

export type Opened = {
  readonly template?: string | undefined
  readonly job?: string | undefined
  readonly example?: string | undefined
}

/** Name under which unsaved work of a page is kept. */
export function placeFor({ template, job, example }: Opened): string {
  if (template) return `farm editor template ${template}`
  if (job) return `farm editor job ${job}`
  return example ? `farm editor example ${example}` : 'farm editor'
}

/** Unsaved work of this tab. It survives a reload, and goes with the tab. */
export type Draft = {
  readonly text: string
  readonly variables: Values
  readonly overrides: Values
}

export function readDraft(place: string): Draft | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? 'null')
    return typeof kept === 'object' && kept !== null && 'text' in kept ? (kept as Draft) : undefined
  } catch {
    return undefined
  }
}

/** Keeps work that differs from what was opened; forgets it where it does not. */
export function keepDraft(place: string, draft: Draft, opened: Draft): void {
  try {
    if (isSame(draft, opened)) sessionStorage.removeItem(place)
    else sessionStorage.setItem(place, JSON.stringify(draft))
  } catch {
    // A full or forbidden storage: the text is on the page still.
  }
}

export function dropDraft(place: string): void {
  sessionStorage.removeItem(place)
}

function isSame(a: Draft, b: Draft): boolean {
  const shown = ({ text, variables, overrides }: Draft) =>
    JSON.stringify([text, variables, overrides])
  return shown(a) === shown(b)
}
