/** Returns `?a=1&b=2` of what is not empty, or nothing. */
export function queryOf(given: Readonly<Record<string, string | undefined>>): string {
  const said = Object.entries(given).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  return said.length > 0 ? `?${new URLSearchParams(said)}` : ''
}
