import { mediaBytes } from '../../core/limits.ts'
import type { Limits } from '../process/sandbox.ts'

/** Limits of a customer's media. Pictures are held in memory as RGBA: 50 Mpixels are 200 MB. */
export const mediaLimits = {
  imageBytes: mediaBytes.image,
  imagePixels: 50_000_000,
  /** Limit of a crop's coordinates (core/accounts/plans.ts). */
  imageEdge: 16_384,
  clipBytes: mediaBytes.video,
  /** Slightly more than 4096 x 2304. */
  clipPixels: 10_000_000,
  clipSeconds: 4 * 3600,
  /** Limit for all its frames together. */
  gifPixels: 100_000_000,
  audioBytes: mediaBytes.audio,
  audioSeconds: 4 * 3600,
  fetchTimeoutMs: 120_000,
} as const

/**
 * Node and libvips reserve about 1 GB before the first pixel; a 50 Mpixel picture adds 500 MB. A
 * picture may take a minute of a core, and earlier ones up to twenty seconds (picture-decoders.ts).
 */
export const pictureLimits: Limits = {
  memoryBytes: 2 * 2 ** 30,
  cpuSeconds: 80,
  fileBytes: mediaLimits.imagePixels * 4 + 4096,
}

/** ffprobe reads headers; ffmpeg decodes sound and holds a few packets. */
export const probeLimits: Limits = { memoryBytes: 512 * 2 ** 20, cpuSeconds: 10, fileBytes: 4096 }

/** A frame of 10 Mpixels is 120 MB while HDR is tone-mapped, and an inter codec keeps up to 16. */
export const clipLimits: Limits = { memoryBytes: 2 * 2 ** 30, cpuSeconds: 600, fileBytes: 4096 }

export function soundLimits(outputBytes: number): Limits {
  return { memoryBytes: 512 * 2 ** 20, cpuSeconds: 300, fileBytes: outputBytes + 4096 }
}
