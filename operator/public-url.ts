/** Shortens an address to what cannot be a secret: signatures stand in queries, passwords before the host. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.split(/[?#]/, 1)[0] ?? ''
  const { protocol, host, pathname, search } = new URL(url)
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
