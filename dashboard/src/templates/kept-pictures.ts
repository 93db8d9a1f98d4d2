import type { SheetFrame } from '../ui/sheet-frame.ts'
import { pictureStore } from './picture-store.ts'

/** A picture that was painted, or null for a template that the farm refused to paint. */
export type Painted = SheetFrame | null

const mostKept = 100
/** A refusal may have had a passing reason, as a medium that was away. */
const refusalMs = 24 * 60 * 60 * 1000

/** Reads what an earlier visit has painted for a key; undefined: nothing. Never rejects. */
export async function readKept(key: string): Promise<Painted | undefined> {
  return await onStore(async (store) => {
    const response = await store.match(addressOf(key))
    if (response === undefined) return undefined
    const { picture, at }: { picture: Painted; at: number } = await response.json()
    return picture === null && Date.now() - at > refusalMs ? undefined : picture
  })
}

/** Keeps a picture for the next visits, in place of the oldest where there are many. Never rejects. */
export async function keep(key: string, picture: Painted): Promise<void> {
  await onStore(async (store) => {
    await store.put(addressOf(key), Response.json({ picture, at: Date.now() }))
    const addresses = await store.keys()
    const tooMany = addresses.slice(0, Math.max(0, addresses.length - mostKept))
    await Promise.all(tooMany.map((address) => store.delete(address)))
    return undefined
  })
}

/** Browsers have no cache on plain HTTP, and refuse it where storage is off or full. */
async function onStore<T>(act: (store: Cache) => Promise<T | undefined>): Promise<T | undefined> {
  if (!('caches' in globalThis)) return undefined
  try {
    return await act(await caches.open(pictureStore))
  } catch {
    return undefined
  }
}

/** No page of the farm has this address; it only names the entry. */
const addressOf = (key: string) => `/kept-pictures/${encodeURIComponent(key)}`
