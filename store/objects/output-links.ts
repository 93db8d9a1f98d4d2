import type { JobResult } from '../../core/jobs.ts'
import type { ObjectStore } from './object-store.ts'

const mediaTypes = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  avi: 'video/x-msvideo',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
} as const

/** Signed addresses of a job's files live so long; asking for the job makes new ones. */
export const linkSeconds = 24 * 60 * 60

/** Addresses of a job's files for whoever asked for it; null for what there is none of. */
export async function signOutputs<Key extends string | null>(
  objects: Pick<ObjectStore, 'signGet'>,
  {
    outputKey,
    thumbnailKey,
    format,
  }: { outputKey: Key; thumbnailKey: string | null; format: JobResult['format'] },
): Promise<{ url: Key; thumbnailUrl: string | null }> {
  const sign = async (key: string | null, contentType: string) =>
    key === null ? null : await objects.signGet(key, { seconds: linkSeconds, contentType })
  return {
    url: (await sign(outputKey, mediaTypes[format ?? 'mp4'])) as Key,
    thumbnailUrl: await sign(thumbnailKey, mediaTypes.jpg),
  }
}
