/** A `like` pattern of all texts that contain this one, whose own signs stand for themselves. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
