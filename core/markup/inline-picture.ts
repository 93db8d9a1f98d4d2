import { shorten } from './css.ts'
import { maxPictureEdge } from './rules.ts'

/** True for the `src` of an `<img>` that is fetched as other media are. */
export function isPictureUrl(src: string): boolean {
  return /^https?:\/\//i.test(src)
}

/**
 * Returns the rule that the `src` of an `<img>` breaks. The header of a picture inside the markup
 * must give its size before anything decodes it.
 */
export function pictureFault(src: string): string | undefined {
  const [, format, base64] =
    /^data:image\/(png|jpe?g|webp|gif);base64,([a-z0-9+/]+=*)$/i.exec(src) ?? []
  if (!format || !base64) {
    return `The src of <img> is a public http(s) URL, or a base64 data: URI of a png, jpeg, webp or gif. Got ${shorten(src)}`
  }
  const bytes = bytesOf(base64)
  const size = bytes && sizeOf(bytes)
  if (!size) return `The src of <img> holds a png, jpeg, webp or gif. Got ${shorten(src)}`
  if (Math.max(...size) > maxPictureEdge) {
    return `A picture inside markup is at most ${maxPictureEdge} px wide and high. Got ${size.join(' x ')}`
  }
  return undefined
}

function bytesOf(base64: string): Uint8Array | undefined {
  if (base64.replace(/=+$/, '').length % 4 === 1) return undefined
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}

/** Reads width and height from a picture's header; undefined for any other format. */
function sizeOf(bytes: Uint8Array): [number, number] | undefined {
  const view = new DataView(bytes.buffer)
  const ascii = (at: number, length: number) =>
    String.fromCharCode(...bytes.subarray(at, at + length))
  if (bytes.length < 30) return undefined
  if (ascii(1, 3) === 'PNG' && ascii(12, 4) === 'IHDR')
    return [view.getUint32(16), view.getUint32(20)]
  if (ascii(0, 4) === 'GIF8') return [view.getUint16(6, true), view.getUint16(8, true)]
  if (ascii(0, 4) === 'RIFF' && ascii(8, 4) === 'WEBP') return webpSize(view, ascii(12, 4))
  if (view.getUint16(0) === 0xffd8) return jpegSize(view)
  return undefined
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(view: DataView, chunk: string): [number, number] | undefined {
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  if (chunk === 'VP8X') return [uint24(24) + 1, uint24(27) + 1]
  if (chunk === 'VP8 ')
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff]
  if (chunk !== 'VP8L') return undefined
  const bits = view.getUint32(21, true)
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
}

/** Walks the segments to the frame header (SOF0..SOF15 without DHT, JPG and DAC). */
function jpegSize(view: DataView): [number, number] | undefined {
  let at = 2
  while (at + 9 <= view.byteLength) {
    const marker = view.getUint16(at)
    const isFrame =
      marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)]
    if (marker < 0xff01) return undefined
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}
