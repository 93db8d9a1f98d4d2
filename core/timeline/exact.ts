/**
 * The same movement gives the same numbers wherever in the film it stands: sums of decimals differ
 * in their last bits, far below what is seen.
 */
export function exact(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
