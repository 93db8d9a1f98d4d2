import { InvalidArgumentError } from 'commander'

const maxWorkers = 64

/** @throws InvalidArgumentError, which commander shows with the option's name */
export function readPort(text: string): number {
  return readInteger(text, 1, 65_535)
}

/** How many processes. @throws InvalidArgumentError */
export function readCount(text: string): number {
  return readInteger(text, 1, maxWorkers)
}

function readInteger(text: string, min: number, max: number): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}. Got ${text}.`)
  }
  return value
}

/**
 * Collects `--var name=value`. The value is JSON when it parses as such, else the text itself.
 * @throws InvalidArgumentError
 */
export function readVariable(
  text: string,
  before: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError(`It must look like name=value. Got ${text}.`)
  return { ...before, [text.slice(0, at)]: jsonOrText(text.slice(at + 1)) }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text // plain words need no quotes
  }
}
