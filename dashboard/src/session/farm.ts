import { createCaller } from '../../../client/caller.ts'
import { createFarmClient } from '../../../client/farm-client.ts'
import { fetchSignedIn } from './session.ts'

const options = { url: location.origin, apiKey: null, fetch: fetchSignedIn } as const

/** The farm's own client, as the user who signed in. */
export const farm = createFarmClient(options)
/** Sends single requests, where the client's methods would read all pages of a list. */
export const caller = createCaller(options)
