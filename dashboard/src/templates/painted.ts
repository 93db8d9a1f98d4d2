import { FarmApiError } from '../../../client/farm-api-error.ts'
import { createFarmClient, type TemplateSummary } from '../../../client/farm-client.ts'
import { fetchSignedIn } from '../session/session.ts'
import { frameOf, type SheetFrame } from '../ui/sheet-frame.ts'

/** Refusals of what nobody asked for are no messages, as those of the pages' own client are. */
const farm = createFarmClient({ url: location.origin, apiKey: null, fetch: fetchSignedIn })

type Named = Pick<TemplateSummary, 'id' | 'updatedAt'>

const keptPictures = 100
/** Twice what a list shows, for screens of fine pixels. */
const width = 128
const maxBytes = 30_000
/** A template whose media take longer to fetch stays without its picture until the next visit. */
const patienceMs = 60_000
const retries = 2

/** Pictures of this tab, by template and time of its change; null: the farm cannot paint it. */
const painted = new Map<string, SheetFrame | null>()
/** The farm paints one at a time: the editor's pictures need the account's other place. */
let last: Promise<unknown> = Promise.resolve()
let isRefused = false

const keyOf = ({ id, updatedAt }: Named) => `${id} ${updatedAt}`

/** Returns the picture that this tab has of a template. */
export function paintedBefore(template: Named): SheetFrame | undefined {
  return painted.get(keyOf(template)) ?? undefined
}

/** Paints a template as a render with its own variables would; undefined: it cannot be painted now. */
export async function paint(template: Named, signal: AbortSignal): Promise<SheetFrame | undefined> {
  const turn = last.then(async () => {
    if (signal.aborted || isRefused || painted.has(keyOf(template))) return
    const found = await paintNow(template.id, signal)
    if (found === undefined) return
    const [oldest] = painted.keys()
    if (painted.size >= keptPictures && oldest !== undefined) painted.delete(oldest)
    painted.set(keyOf(template), found)
  })
  last = turn
  await turn
  return paintedBefore(template)
}

async function paintNow(id: string, signal: AbortSignal): Promise<SheetFrame | null | undefined> {
  try {
    const options = { signal, retries, timeoutMs: patienceMs }
    const sheet = await farm.preview({ template: id, width, maxBytes }, options)
    return frameOf(sheet, 'middle')
  } catch (error) {
    if (!(error instanceof FarmApiError)) return undefined
    // The plan's pictures of the day are used up: the others would be refused as well.
    isRefused ||= error.status === 429
    return error.status < 500 && error.status !== 429 ? null : undefined
  }
}
