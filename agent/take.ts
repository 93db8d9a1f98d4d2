/** Collects the first items of a list. */
export async function take<T>(list: AsyncIterable<T>, most: number): Promise<T[]> {
  const items: T[] = []
  for await (const item of list) {
    items.push(item)
    if (items.length >= most) break
  }
  return items
}
