import { maybe } from '../../project/schema/fields.ts'
import { CustomCode, Designer } from '../../project/schema/parts.ts'

/** Fields of every visual that a browser paints. */
export const codeFields = { customCode: maybe(CustomCode), designer: maybe(Designer) }
