import { Type } from 'typebox'

const hex = '[0-9A-Fa-f]'
export const uuidPattern = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`

export const IdParams = Type.Object({
  id: Type.String({ pattern: `^${uuidPattern}$`, title: 'a UUID' }),
})

/** Reads an id from the path, in the database's spelling. */
export function readUuid(id: string): string {
  return id.toLowerCase()
}
