import { Type } from 'typebox'

/** A part of a name to search for. The database knows no NUL. */
export const SearchText = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000]*$',
  title: 'a text of 1 to 200 characters without NUL',
  description: 'Text that the name must contain',
})
