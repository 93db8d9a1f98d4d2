import type { ListedObject } from '../../../store/objects/object-store.ts'

/** Collects a list of a store. */
export async function listed(objects: AsyncIterable<ListedObject>): Promise<ListedObject[]> {
  const all: ListedObject[] = []
  for await (const object of objects) all.push(object)
  return all
}
