/** Times of the frames to show, in seconds; by default six, evenly, a little off both ends. */
export function timesOf(name: string, duration: number): number[] {
  if (name === 'transitions') {
    // Shot n begins at 0.6 n; its transition runs from 0.6 to 1.2 s later: this is its middle.
    return Array.from({ length: 58 }, (_, n) => n * 0.6 + 0.9)
  }
  const count = 6
  return Array.from({ length: count }, (_, n) => (duration * (n + 0.5)) / count)
}
