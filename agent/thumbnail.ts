import { FarmApiError, type Job } from '../client/farm-client.ts'
import { pictureMaxBytes } from './picture.ts'
import type { Agent } from './tool.ts'

/**
 * Returns the thumbnail of a completed film or still, small enough for every host. Undefined: the
 * render has not completed, or its files were removed meanwhile.
 */
export async function thumbnailOf(
  { id, thumbnailUrl }: Job,
  { farm, signal }: Pick<Agent, 'farm' | 'signal'>,
): Promise<Uint8Array | undefined> {
  if (thumbnailUrl === null) return undefined
  try {
    return await farm.thumbnail(id, { signal, maxBytes: pictureMaxBytes })
  } catch (error) {
    if (error instanceof FarmApiError && error.code === 'not_found') return undefined
    throw error
  }
}
