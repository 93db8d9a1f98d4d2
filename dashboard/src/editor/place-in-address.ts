/**
 * Reads the place that an address names: `#/scenes/0/visuals/1` is a pointer into the project, and one into
 * a request loses its `/payload`. Undefined: it names none; null: it is broken.
 */
export function placeInAddress(hash: string): string | undefined | null {
  try {
    const pointer = decodeURIComponent(hash.slice(1))
    return pointer.startsWith('/') ? pointer.replace(/^\/payload(?=\/|$)/, '') : undefined
  } catch {
    return null
  }
}
