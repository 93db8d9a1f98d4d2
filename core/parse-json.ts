/**
 * Parses JSON. A number beyond the range of a double is refused: it would be sent as null.
 * @throws SyntaxError when the text is not JSON, RangeError for such a number
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value
    throw new RangeError(`${key === '' ? 'A number' : key} must be finite. Got ${value}`)
  })
}
