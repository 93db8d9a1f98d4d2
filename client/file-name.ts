/**
 * Returns the file's name in a Content-Disposition header: the encoded form before the quoted one (RFC 6266).
 * Undefined where it has neither. The name is as sent, so it may not suit a file system.
 */
export function fileNameIn(disposition: string): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;]+)/.exec(disposition) ?? []
  const [, quoted] = /filename="([^"]+)"/.exec(disposition) ?? []
  return encoded === undefined ? quoted : decodeURIComponent(encoded)
}
