/**
 * Rounds away the last bits of decimal sums, far below the visible. So the same movement gives the
 * same numbers anywhere in the film.
 */
export function exact(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
