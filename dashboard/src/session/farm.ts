import { createCaller } from '../../../client/caller.ts'
import { createFarmClient } from '../../../client/farm-client.ts'
import { toast } from '../ui/toast.tsx'
import { sendTelling } from './send-telling.ts'
import { fetchSignedIn } from './session.ts'

const options = { url: location.origin, apiKey: null, fetch: fetchAndTell } as const

/** The farm's own client, as the user who signed in. */
export const farm = createFarmClient(options)
/** Sends single requests, where the client's methods would read all pages of a list. */
export const caller = createCaller(options)

/** The farm's client for one file, whose way it tells: a part of 1. */
export function farmOfFile(onProgress: (part: number) => void) {
  const send = sendTelling(onProgress)
  return createFarmClient({
    ...options,
    fetch: (input, init) => fetchSignedIn(input, init, send),
  })
}

/** The client waits for the next minute and repeats: meanwhile the person is told why nothing comes. */
async function fetchAndTell(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetchSignedIn(input, init)
  if (response.status === 429) {
    const { detail } = await response
      .clone()
      .json()
      .catch(() => ({ detail: 'The farm takes no more requests for now' }))
    const seconds = response.headers.get('retry-after')
    toast(seconds === null ? detail : `${detail}. The page goes on in ${seconds} s`, {
      topic: 'too many requests',
    })
  }
  return response
}
