import type { IncomingMessage } from 'node:http'
import { methodsOf, type RouteAccess } from './access.ts'
import { pathOf } from './path.ts'

/**
 * Returns the address below the public one's path, which a proxy may keep or remove. An address that
 * has a route as it is stays.
 */
export function belowPublicUrl(
  { url = '/' }: IncomingMessage,
  { publicUrl, access }: { readonly publicUrl: string; readonly access: readonly RouteAccess[] },
): string {
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, '')
  const isBelow = prefix !== '' && url.startsWith(`${prefix}/`)
  return isBelow && methodsOf(access, pathOf(url)).length === 0 ? url.slice(prefix.length) : url
}
