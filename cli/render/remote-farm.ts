import { createFarmClient, type FarmClient } from '../../client/farm-client.ts'
import { Failure, usage } from '../failure.ts'
import type { LocalMedia } from './local-media.ts'

/** Retries of the first request: few, because the farm may not exist; later ones wait longer. */
export const firstRetries = 2

/**
 * Returns the client of the farm at FARM_URL; undefined when none is named. `media`: files of this
 * machine in the request, which such a farm cannot read.
 * @throws Failure
 */
export function remoteFarm(media: readonly LocalMedia[]): FarmClient | undefined {
  const { FARM_URL: url, FARM_API_KEY: apiKey } = process.env
  if (!url) return undefined
  if (!apiKey) throw usage('FARM_API_KEY must be set when FARM_URL is set. Got nothing')
  if (media.length === 0) return clientOf(url, apiKey)
  const rule = 'must be a URL, because the farm at FARM_URL cannot read files of this machine.'
  throw new Failure('the project uses files of this machine:', {
    faults: media.map(({ field, file }) => ({ field, message: `${rule} Got the path ${file}` })),
  })
}

function clientOf(url: string, apiKey: string): FarmClient {
  try {
    return createFarmClient({ url, apiKey })
  } catch (error) {
    throw usage(`FARM_URL or FARM_API_KEY cannot be used: ${(error as Error).message}`)
  }
}
