import { exitCodes, Failure } from '../failure.ts'
import type { Door } from './farm-client.ts'
import type { LocalMedia } from './local-media.ts'

/**
 * The farm at FARM_URL; undefined when none is named. `media`: files of this machine that the
 * request names, which such a farm cannot read.
 * @throws Failure
 */
export function remoteDoor(media: readonly LocalMedia[]): Door | undefined {
  const { FARM_URL: url, FARM_API_KEY: apiKey } = process.env
  if (!url) return undefined
  if (!apiKey) {
    throw new Failure('FARM_API_KEY must be set when FARM_URL is. Got nothing', {
      exitCode: exitCodes.usage,
    })
  }
  if (media.length === 0) return { url, apiKey }
  const rule = 'must be a URL, because the farm at FARM_URL cannot read files of this machine.'
  throw new Failure('the project names files of this machine:', {
    faults: media.map(({ field, file }) => ({ field, message: `${rule} Got the path ${file}` })),
  })
}
