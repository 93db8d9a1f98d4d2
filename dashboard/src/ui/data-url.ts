const bytesAtOnce = 8_192

/** Returns bytes as an address that the policy of the pages allows for pictures. */
export function dataUrl(bytes: Uint8Array, type: string): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += bytesAtOnce) {
    text += String.fromCharCode(...bytes.subarray(at, at + bytesAtOnce))
  }
  return `data:${type};base64,${btoa(text)}`
}
