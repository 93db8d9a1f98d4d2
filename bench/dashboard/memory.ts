import type { Figure, Options } from './figure.ts'
import { addRows } from './rows.ts'
import { openSignedIn } from './signed-in-browser.ts'
import { changeJobs, heapOf } from './updates.ts'

/** Memory of a list that is changed 20 times a second, beside that after its first minutes. */
export async function memory({ minutes }: Options): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    await addRows(signedIn)
    const { stage, customer, open } = signedIn
    const page = await open('/jobs')
    await page.waitForSelector('tbody a')
    const { accountId } = customer
    const early = Math.min(5, minutes / 4) * 60
    await changeJobs(stage, { accountId, perSecond: 20, seconds: early })
    const before = await heapOf(page)
    await changeJobs(stage, { accountId, perSecond: 20, seconds: minutes * 60 - early })
    const after = await heapOf(page)
    const note = `${before.toFixed(1)} to ${after.toFixed(1)} MB`
    const name = `memory after ${minutes} min`
    return [{ name, seen: after / before, most: 1.2, unit: 'x', note }]
  } finally {
    await signedIn.close()
  }
}
