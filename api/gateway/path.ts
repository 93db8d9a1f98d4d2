/** Returns a URL without its query and fragment, where a caller may have put a secret. */
export function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? ''
}

/** Returns the path of a URL as the router matches it: without the query and one slash at its end. */
export function pathOf(url: string): string {
  const path = withoutQuery(url)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
