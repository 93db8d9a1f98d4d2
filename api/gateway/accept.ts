/** True when HTML is named and preferred at least as much as JSON (RFC 9110, 12.5.1). */
export function wantsPage(accept = ''): boolean {
  const qualities = new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((each) => each.startsWith('q='))?.slice(2)
      return [type, quality === undefined ? 1 : Number(quality)] as const
    }),
  )
  const html = qualities.get('text/html') ?? 0
  return html > 0 && html >= (qualities.get('application/json') ?? 0)
}
