import type { Content } from './tool.ts'

/** 36,000 characters of base64, which hosts that count pictures as text still take. */
export const pictureMaxBytes = 27_000

/** Returns a JPEG as content of a result. */
export function picture(jpeg: Uint8Array): Content {
  return { type: 'image', data: Buffer.from(jpeg).toString('base64'), mimeType: 'image/jpeg' }
}
