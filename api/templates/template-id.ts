import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { derivedId } from '../gateway/derived-id.ts'

const shape = /^tpl_[A-Za-z0-9]{20}$/

export const TemplateParams = Type.Object({
  id: Type.String({ pattern: shape.source, title: '"tpl_" and 20 letters or digits' }),
})

/** `seed`: a UUID; the same one gives the same template, however often it is made. */
export function templateIdOf(seed: string): string {
  return `tpl_${derivedId(seed)}`
}

export function isTemplateId(text: string): boolean {
  return shape.test(text)
}

/** Gives the same answer for a missing template and for another account's. */
export function templateNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have a template with this id. Got ${id}`)
}
