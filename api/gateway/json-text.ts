import { FarmError } from '../../core/errors.ts'

/**
 * Parses a body's bytes as JSON. @throws FarmError invalid_request that names the place of the
 * fault.
 */
export function readJson(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new FarmError('invalid_request', 'The body must be a JSON object. Got nothing')
  }
  const text = decode(body)
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const position = placeOf(error.message, text)
    const before = text.slice(0, position).split('\n')
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
    const seen = position < text.length ? JSON.stringify(charAt(text, position)) : 'its end'
    throw new FarmError(
      'invalid_request',
      `The body must be JSON. Got ${seen} at position ${position} (${place}), which is not allowed there`,
      { cause: error },
    )
  }
}

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new FarmError('invalid_request', 'The body must be UTF-8. Got other bytes', { cause })
  }
}

/** V8 names the place of most faults, and is faster than our scan. */
function placeOf(message: string, text: string): number {
  const said = /at position (\d+)/.exec(message)?.[1]
  if (said !== undefined) return Number(said)
  return message.startsWith('Unexpected end') ? text.length : faultPosition(text)
}

function charAt(text: string, position: number): string {
  return String.fromCodePoint(text.codePointAt(position) ?? 0).toWellFormed()
}

const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none inside strings
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null))/y

/**
 * Next token that is expected: a value, the first thing of an object or array, a name, a colon, a
 * rest.
 */
type Expected = 'value' | 'first-name' | 'first-item' | 'name' | 'colon' | 'rest' | 'end'

/**
 * Finds the place where a text stops being JSON. Linear, without recursion, and only run on a body
 * that is refused.
 */
function faultPosition(text: string): number {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  token.lastIndex = 0
  for (let from = 0; ; from = token.lastIndex) {
    const found: RegExpExecArray | null = token.exec(text)
    const next: Expected | undefined | null = found && step(expected, found, open)
    if (!next) return skipBlanks(text, from)
    expected = next
  }
}

/**
 * Returns the state after a token, or undefined when the token is not allowed there. Updates
 * `open`.
 */
function step(
  expected: Expected,
  [, mark, string, scalar]: RegExpExecArray,
  open: ('{' | '[')[],
): Expected | undefined {
  const after = (): Expected => (open.length === 0 ? 'end' : 'rest')
  const close = (bracket: '{' | '['): Expected | undefined =>
    open.pop() === bracket ? after() : undefined
  if (mark === '}') return isCloser(expected, 'first-name') ? close('{') : undefined
  if (mark === ']') return isCloser(expected, 'first-item') ? close('[') : undefined
  switch (expected) {
    case 'value':
    case 'first-item':
      if (string !== undefined || scalar !== undefined) return after()
      if (mark !== '{' && mark !== '[') return undefined
      open.push(mark)
      return mark === '{' ? 'first-name' : 'first-item'
    case 'first-name':
    case 'name':
      return string === undefined ? undefined : 'colon'
    case 'colon':
      return mark === ':' ? 'value' : undefined
    case 'rest':
      if (mark !== ',') return undefined
      return open.at(-1) === '{' ? 'name' : 'value'
    case 'end':
      return undefined
    default:
      return expected satisfies never
  }
}

function skipBlanks(text: string, from: number): number {
  const next = text.slice(from).search(/[^ \t\r\n]/)
  return next === -1 ? text.length : from + next
}

function isCloser(expected: Expected, first: Expected): boolean {
  return expected === 'rest' || expected === first
}
