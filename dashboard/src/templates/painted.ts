import { FarmApiError } from '../../../client/farm-api-error.ts'
import { createFarmClient, type TemplateSummary } from '../../../client/farm-client.ts'
import { sleep } from '../../../client/retry.ts'
import { fetchSignedIn } from '../session/session.ts'
import { frameOf, type SheetFrame } from '../ui/sheet-frame.ts'
import { keep, type Painted, readKept } from './kept-pictures.ts'

/** Refusals of what nobody asked for are no messages, as those of the pages' own client are. */
const farm = createFarmClient({ url: location.origin, apiKey: null, fetch: fetchSignedIn })

export type Named = Pick<TemplateSummary, 'id' | 'updatedAt'>

/** Previews of a visit: the account has few a day, and a customer's own come first. */
const mostAVisit = 10
/** Previews of a minute are few, too: half of them stay for the editor. */
const apartMs = 6_000
/** Most bytes of a sheet, of the usual size: enough for a list and for a template's page, which share it. */
const maxBytes = 60_000
/** A template whose media take longer to fetch stays without its picture until the next visit. */
const patienceMs = 60_000
const retries = 2
/** A refusal for longer than this, seconds, is the day's: previews of the minute come back sooner. */
const longSeconds = 120
/** The template itself is at fault, so the same request would be refused again. */
const unpaintable: ReadonlySet<number> = new Set([400, 404, 422])

/** Pictures of this tab, by template and time of its change. */
const painted = new Map<string, Painted>()
/** The farm paints one at a time: the editor's pictures need the account's other place. */
let last: Promise<unknown> = Promise.resolve()
/** Previews since the page was loaded, the time of the last one, ms, and whether there are to be more. */
const visit = { asked: 0, at: Number.NEGATIVE_INFINITY, isOver: false }

const keyOf = ({ id, updatedAt }: Named) => `${id} ${updatedAt}`

/** Returns the picture that this tab has of a template. */
export function paintedBefore(template: Named): SheetFrame | undefined {
  return painted.get(keyOf(template)) ?? undefined
}

/**
 * Paints a template as a render with its own variables would, unless an earlier visit has; undefined:
 * it cannot be painted now.
 */
export async function paint(template: Named, signal: AbortSignal): Promise<SheetFrame | undefined> {
  if (!(await isPainted(keyOf(template)))) {
    const turn = last.then(() => paintInTurn(template, signal))
    last = turn
    await turn
  }
  return paintedBefore(template)
}

/** True when this tab has the picture, or another tab or an earlier visit has kept it. */
async function isPainted(key: string): Promise<boolean> {
  const kept = painted.has(key) ? undefined : await readKept(key)
  if (kept !== undefined) painted.set(key, kept)
  return painted.has(key)
}

/** Asks for a picture when the one before is some seconds past; never rejects. */
async function paintInTurn(template: Named, signal: AbortSignal): Promise<void> {
  const key = keyOf(template)
  const isWanted = () => !(signal.aborted || visit.isOver)
  if (!isWanted() || (await isPainted(key))) return
  await sleep(visit.at + apartMs - performance.now(), signal).catch(() => undefined)
  if (!isWanted() || (await isPainted(key))) return
  visit.at = performance.now()
  visit.asked += 1
  visit.isOver = visit.asked >= mostAVisit
  const picture = await ask(template.id, signal)
  if (picture === undefined) return
  painted.set(key, picture)
  await keep(key, picture)
}

async function ask(id: string, signal: AbortSignal): Promise<Painted | undefined> {
  try {
    const options = { signal, retries, timeoutMs: patienceMs }
    const sheet = await farm.preview({ template: id, maxBytes }, options)
    return frameOf(sheet, 'middle')
  } catch (error) {
    if (!(error instanceof FarmApiError)) {
      // A farm that is this busy paints no others in time either.
      visit.isOver ||= !signal.aborted
      return undefined
    }
    visit.isOver ||= error.status === 429 && (error.retryAfter ?? 0) > longSeconds
    return unpaintable.has(error.status) ? null : undefined
  }
}
