/**
 * An object that a player needs: stored under its digest, or written under one of the names. `film`
 * is a whole file, which has no digest.
 */
export type Need = {
  readonly kind: 'segment' | 'sound' | 'film'
  readonly digest: string
  readonly names: readonly string[]
}

/** A segment by its digest; `names` are those that it has in its own job. */
export function needOf(digest: string, names: readonly string[] = []): Need {
  return { kind: 'segment', digest, names }
}

/** The file that one task makes of a whole job. */
export const wholeFilm: Need = { kind: 'film', digest: '', names: ['output'] }
