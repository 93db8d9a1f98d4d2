import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { derivedId } from '../gateway/derived-id.ts'

const shape = '^prj_[A-Za-z0-9]{20}$'

export const ProjectId = Type.String({ pattern: shape })
export const ProjectParams = Type.Object({
  id: Type.String({ pattern: shape, title: '"prj_" and 20 letters or digits' }),
})

/** `seed`: a UUID; the same one gives the same draft, however often it is made. */
export function projectIdOf(seed: string): string {
  return `prj_${derivedId(seed)}`
}

/** Gives the same answer for a missing draft and for another account's. */
export function projectNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have a project with this id. Got ${id}`)
}
