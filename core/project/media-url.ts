import { isPublicAddress } from './public-address.ts'

/**
 * Media URL rule, as far as a URL's text can show it. The connecting code checks resolved addresses
 * and redirects again. Our own parse of the URL must agree with the WHATWG parser, so that no two
 * readers can disagree about its host.
 */

const maxLength = 2048
const ports = [80, 443]

/** Top-level names outside the public DNS, or of private networks. */
const privateTopLevels = new Set([
  ...['local', 'localhost', 'localdomain', 'lan', 'internal', 'intranet', 'private', 'corp'],
  ...['home', 'svc', 'cluster', 'test', 'invalid', 'onion', 'i2p', 'alt', 'arpa'],
])

/**
 * Returns the fault of a URL of media, a thumbnail or subtitles; undefined = none. `trustedHosts`:
 * `host:port` that are exempt, for development and tests.
 */
export function mediaUrlFault(
  url: string,
  { trustedHosts = [] }: { trustedHosts?: readonly string[] } = {},
): string | undefined {
  if (trustedHosts.length > 0 && isTrusted(url, trustedHosts)) return undefined
  return urlFault(url)
}

/** Returns the fault of a webhook's URL: the same rule, and https besides. */
export function webhookUrlFault(
  url: string,
  { trustedHosts = [] }: { trustedHosts?: readonly string[] } = {},
): string | undefined {
  if (trustedHosts.length > 0 && isTrusted(url, trustedHosts)) return undefined
  const fault = urlFault(url)
  if (fault !== undefined) return fault
  if (!url.startsWith('https:')) return `must be an https URL. Got ${shown(url)}.`
  // The media rule only limits the port; webhooks need the standard port of their scheme.
  const { port = '' } = URL.parse(url) ?? {}
  return port === '' ? undefined : `must be an https URL on port 443. Got port ${port}.`
}

function isTrusted(url: string, trustedHosts: readonly string[]): boolean {
  if (!/^https?:\/\//.test(url)) return false
  const parsed = URL.parse(url)
  if (!parsed || parsed.username || parsed.password) return false
  const port = parsed.port || (parsed.protocol === 'https:' ? '443' : '80')
  return trustedHosts.includes(`${parsed.hostname}:${port}`)
}

function urlFault(url: string): string | undefined {
  if (url.length < 1 || url.length > maxLength) {
    return `must be a URL of 1 to ${maxLength} characters. Got ${url.length}.`
  }
  if (!/^https?:\/\//.test(url)) {
    const rule = 'must be a public URL that starts with http:// or https://, in small letters'
    return `${rule}. Got ${shown(url)}.`
  }
  // Parsers drop or map these characters, each differently.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  if (/[\s\u0000-\u001f\u007f-\u009f\u200b\\]/u.test(url)) {
    return `must be a URL without spaces, backslashes and control characters. Got ${shown(url)}.`
  }
  const authority = /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
  if (authority.includes('@')) {
    return `must be a URL without user name and password. Got ${shown(url)}.`
  }
  const parts = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:%]+)(?::([0-9]{0,8}))?$/u.exec(authority)
  const host = parts?.[1] && hostOf(parts[1], url)
  if (!host) {
    const rule = 'must be a URL with a host name, plain or in punycode, and a port number, if any'
    return `${rule}. Got ${shown(url)}.`
  }
  // An empty port is the standard one.
  if (parts[2] && !ports.includes(Number(parts[2]))) {
    return `must be a URL on port 80 or 443. Got port ${parts[2]}.`
  }
  return hostFault(host, url)
}

/**
 * Returns the host in lower-case ASCII; undefined = parsers may disagree about it. A name in
 * another script may differ from it by case and composition only. Characters that a parser drops or
 * maps to others (soft hyphens, full-width letters and dots) are refused.
 */
function hostOf(written: string, url: string): string | undefined {
  if (/^[\x21-\x7e]+$/.test(written)) {
    return /^(?:\[.*\]|[A-Za-z0-9._-]+)$/.test(written) ? written.toLowerCase() : undefined
  }
  const lower = written.normalize('NFC').toLowerCase()
  if (lower.normalize('NFKC') !== lower) return undefined
  if (/\p{Default_Ignorable_Code_Point}/u.test(lower)) return undefined
  const host = URL.parse(url)?.hostname ?? ''
  const labels = written.split('.')
  const ascii = host.split('.')
  const isName = labels.every((label, i) =>
    /^[\x21-\x7e]*$/.test(label) ? label.toLowerCase() === ascii[i] : ascii[i]?.startsWith('xn--'),
  )
  return isName && ascii.length === labels.length ? host : undefined
}

function hostFault(host: string, url: string): string | undefined {
  if (URL.parse(url) === null) return `must be a valid URL. Got ${shown(url)}.`
  if (host.startsWith('[')) {
    return isPublicAddress(host.slice(1, -1)) ? undefined : addressMessage(host)
  }
  const name = host.replace(/\.$/, '')
  const labels = name.split('.')
  const last = labels.at(-1) ?? ''
  // WHATWG rule: a last label that is a number in any radix makes the host an IPv4 address.
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(last)) {
    return isPublicAddress(host) ? undefined : addressMessage(host)
  }
  const wellFormed = labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
  if (!wellFormed || name.length > 253 || labels.length < 2 || privateTopLevels.has(last)) {
    return `must be a URL of a public host. Got ${shown(host)}.`
  }
  if (URL.parse(url)?.hostname !== host) {
    return `must be a URL of a public host. Got ${shown(host)}.`
  }
  return undefined
}

function addressMessage(host: string): string {
  return `must be a URL of a public host; private and unusual addresses are refused. Got ${shown(host)}.`
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)
}
