const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS', 'macOS'],
  ['Windows', 'Windows'],
  ['Linux', 'Linux'],
] as const

/** Returns `Firefox on Windows` for a user agent; one that is not known stays as it is. */
export function browserOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser'
  const find = (among: readonly (readonly [string, string])[]) =>
    among.find(([mark]) => userAgent.includes(mark))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (!browser) return userAgent.slice(0, 80)
  return system ? `${browser} on ${system}` : browser
}
