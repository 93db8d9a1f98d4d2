import { freshSecondsMax } from '../../core/queue/tasks.ts'

/**
 * Seconds that a response stays fresh by its own headers: `max-age` of Cache-Control less Age (RFC
 * 9111). 0 without them, or when revalidation is required; nothing is guessed.
 */
export function freshSecondsOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): number {
  const directives = textOf(headers['cache-control'])
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim())
  if (directives.some((directive) => /^(no-cache|no-store)(=|$)/.test(directive))) return 0
  const ages = directives.flatMap(
    (directive) => /^max-age="?(\d{1,9})"?$/.exec(directive)?.[1] ?? [],
  )
  const age = Number(/^\d{1,9}$/.exec(textOf(headers.age))?.[0] ?? 0)
  // The smallest of several values counts.
  const fresh = ages.length === 0 ? 0 : Math.min(...ages.map(Number)) - age
  return Math.min(Math.max(0, fresh), freshSecondsMax)
}

function textOf(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(',') : (value ?? '')
}
