import type { PictureAttributes } from './attributes.ts'
import { cleanHtml } from './html.ts'

/** Stand-in for a picture's URL in a painted document: it names the bytes that the URL led to. */
const scheme = 'farm-picture:'

/** `html` in which each picture by URL names its bytes. `digestOf`: by the URL. */
export function placePictures(html: string, digestOf: (url: string) => string | undefined): string {
  return cleanHtml(html, (src) => {
    const digest = digestOf(src)
    return digest === undefined ? undefined : { src: scheme + digest }
  })
}

/** Returns a reader of attributes in the markup that `placePictures` has made. `attributesOf`: by the digest of the picture. */
export function placedPictures(attributesOf: PictureAttributes): PictureAttributes {
  return (src) => (src.startsWith(scheme) ? attributesOf(src.slice(scheme.length)) : undefined)
}
