import type { JobResult } from '../../core/jobs/jobs.ts'
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

const longestFileName = 80

/** Longest validity of a job's signed addresses; asking for the job makes new ones. */
const maxLinkSeconds = 24 * 60 * 60

/**
 * Signs addresses of a job's files; null for missing files. They are valid for `seconds`, and none
 * outlives its file.
 */
export async function signOutputs<Key extends string | null>(
  objects: Pick<ObjectStore, 'signGet' | 'urlSeconds'>,
  {
    outputKey,
    thumbnailKey,
    previewKey = null,
    name,
    format,
    filesExpireAt = null,
  }: {
    outputKey: Key
    thumbnailKey: string | null
    previewKey?: string | null
    /** File name offered by browsers: letters and digits of any script, and dashes for the rest. */
    name: string
    format: JobResult['format']
    /** Null, or absent: later than any address may live. */
    filesExpireAt?: Date | null
  },
): Promise<{
  url: Key
  thumbnailUrl: string | null
  previewUrl: string | null
  seconds: number
}> {
  const left = filesExpireAt ? (filesExpireAt.getTime() - Date.now()) / 1000 : maxLinkSeconds
  const wanted = Math.max(1, Math.min(maxLinkSeconds, Math.floor(left)))
  const seconds = outputKey === null ? wanted : await objects.urlSeconds(wanted)
  const type = format ?? 'mp4'
  const sign = async (key: string | null, contentType: string, filename?: string) =>
    key === null
      ? null
      : await objects.signGet(key, {
          ...{ seconds, contentType, forCustomer: true },
          ...(filename && { filename }),
        })
  return {
    seconds,
    url: (await sign(outputKey, mediaTypes[type], `${plainFileName(name)}.${type}`)) as Key,
    thumbnailUrl: await sign(thumbnailKey, mediaTypes.jpg),
    previewUrl: await sign(previewKey, mediaTypes.jpg),
  }
}

/**
 * Signs the address at which browsers save a job's file instead of showing it; null for a missing one.
 */
export async function signDownload(
  objects: Pick<ObjectStore, 'signGet'>,
  {
    outputKey,
    name,
    format = 'mp4',
    seconds,
  }: {
    outputKey: string | null
    name: string
    format: JobResult['format']
    /** As `signOutputs` answers. */
    seconds: number
  },
): Promise<string | null> {
  if (outputKey === null) return null
  return await objects.signGet(outputKey, {
    ...{ seconds, contentType: mediaTypes[format], forCustomer: true },
    ...{ filename: `${plainFileName(name)}.${format}`, isDownload: true },
  })
}

/** A file name of letters and digits of any script, and dashes for the rest; never empty. */
export function plainFileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-').replace(/^-+|-+$/g, '')
  return [...plain].slice(0, longestFileName).join('') || 'output'
}
