import { FarmError } from '../../core/errors.ts'

/**
 * Refuses requests of pages that were not allowed, and those that came under a strange name: a page
 * whose name was rebound to this address sends its own (DNS rebinding). Programs send no Origin.
 * @throws FarmError forbidden
 */
export function refuseStrangePages(
  { host, origin }: { host?: string | undefined; origin?: string | undefined },
  { urls, origins }: { urls: readonly string[]; origins: readonly string[] },
): void {
  const hosts = new Set(urls.map((url) => new URL(url).host.toLowerCase()))
  const name = host?.toLowerCase() ?? ''
  if (!hosts.has(name) && !isLoopback(name)) {
    const rule = `The header Host must name this service: ${[...hosts].join(', ')}`
    throw new FarmError('forbidden', `${rule}. Got ${JSON.stringify(name.slice(0, 100))}`)
  }
  if (origin === undefined) return
  const allowed = [...urls.map((url) => new URL(url).origin), ...origins]
  if (allowed.includes(origin.toLowerCase())) return
  if (URL.canParse(origin) && isLoopback(new URL(origin).host) && isLoopback(name)) return
  const rule = 'The header Origin must be one of FARM_MCP_ORIGINS, or be left out'
  throw new FarmError('forbidden', `${rule}. Got ${JSON.stringify(origin.slice(0, 100))}`)
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host)
}
