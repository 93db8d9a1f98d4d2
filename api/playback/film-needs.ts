/** An object that a player needs: stored under its digest, or written under one of the names. */
export type Need = {
  readonly kind: 'segment' | 'sound'
  readonly digest: string
  readonly names: readonly string[]
}

/** A segment by its digest; `names` are those that it has in its own job. */
export function needOf(digest: string, names: readonly string[] = []): Need {
  return { kind: 'segment', digest, names }
}
