import { isPublicAddress } from './public-address.ts'

/**
 * The media URL rule, as far as the text of a URL can show it. What a name resolves to, and where
 * redirects lead, is checked again by whoever dials. A URL is taken apart here by hand and must mean
 * the same to the WHATWG parser, so that no two readers can disagree about its host.
 */

const maxLength = 2048
const ports = [80, 443]

/** Top-level names that are no part of the public DNS, or lead into private networks. */
const privateTopLevels = new Set([
  ...['local', 'localhost', 'localdomain', 'lan', 'internal', 'intranet', 'private', 'corp'],
  ...['home', 'svc', 'cluster', 'test', 'invalid', 'onion', 'i2p', 'alt', 'arpa'],
])

/**
 * What is wrong with a URL of media, a thumbnail or subtitles; undefined = nothing.
 * `trustedHosts`: `host:port` that are exempt, for development and tests.
 */
export function mediaUrlFault(
  url: string,
  { trustedHosts = [] }: { trustedHosts?: readonly string[] } = {},
): string | undefined {
  if (trustedHosts.length > 0 && isTrusted(url, trustedHosts)) return undefined
  return urlFault(url)
}

/** What is wrong with the URL of a webhook: it is the same rule, and https besides. */
export function webhookUrlFault(
  url: string,
  { trustedHosts = [] }: { trustedHosts?: readonly string[] } = {},
): string | undefined {
  if (trustedHosts.length > 0 && isTrusted(url, trustedHosts)) return undefined
  const fault = urlFault(url)
  if (fault === undefined && !url.startsWith('https:')) {
    return `must be an https URL. Got ${shown(url)}.`
  }
  return fault
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
    return `must be a public URL that starts with http:// or https://. Got ${shown(url)}.`
  }
  // Parsers drop or turn these characters, each in its own way.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  if (/[\s\u0000-\u001f\u007f-\u009f\u200b\\]/u.test(url)) {
    return `must be a URL without spaces, backslashes and control characters. Got ${shown(url)}.`
  }
  const authority = /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
  if (authority.includes('@')) {
    return `must be a URL without user name and password. Got ${shown(url)}.`
  }
  const parts = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,8}))?$/.exec(authority)
  const host = parts?.[1]
  if (host === undefined) {
    return `must be a URL with a host name in ASCII (punycode) and a port number, if any. Got ${shown(url)}.`
  }
  if (parts?.[2] !== undefined && !ports.includes(Number(parts[2]))) {
    return `must be a URL on port 80 or 443. Got port ${parts[2]}.`
  }
  return hostFault(host.toLowerCase(), url)
}

function hostFault(host: string, url: string): string | undefined {
  if (URL.parse(url) === null) return `must be a valid URL. Got ${shown(url)}.`
  if (host.startsWith('[')) {
    return isPublicAddress(host.slice(1, -1)) ? undefined : addressMessage(host)
  }
  const labels = host.replace(/\.$/, '').split('.')
  const last = labels.at(-1) ?? ''
  // As WHATWG has it: a last label that is a number in any radix makes the host an IPv4 address.
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(last)) {
    return isPublicAddress(host) ? undefined : addressMessage(host)
  }
  const wellFormed = labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
  if (!wellFormed || host.length > 254 || labels.length < 2 || privateTopLevels.has(last)) {
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
