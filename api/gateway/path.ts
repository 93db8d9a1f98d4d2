/** Returns the path of a URL as the router matches it: without the query and one slash at its end. */
export function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
