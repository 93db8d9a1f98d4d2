import { type ErrorCode, errorCodes, type Fault } from '../errors.ts'

/** A customer's mistakes beyond this many are not listed one by one. */
const maxFaults = 500

/**
 * Collects the faults of one pass; the same one said twice (by two clones of a scene) counts once, as
 * the graver of the two: shape before meaning.
 */
export type Report = {
  readonly faults: Fault[]
  /** The code of a fault in what the published schema lets pass. */
  readonly meaning: ErrorCode
  /** Whether faults are no longer listed. */
  isFull(): boolean
  add(field: string, message: string, code?: ErrorCode): void
}

/** `code`: of every fault that is added without one. */
export function makeReport(code: ErrorCode, meaning: ErrorCode = 'invalid_project'): Report {
  const faults: Fault[] = []
  const said = new Map<string, number>()
  return {
    faults,
    meaning,
    isFull: () => faults.length > maxFaults,
    add(field, message, own = code) {
      const sentence = `${field} ${message}`
      const before = said.get(sentence)
      const known = before === undefined ? undefined : faults[before]
      if (before !== undefined && known && errorCodes[own].http < errorCodes[known.code].http) {
        faults[before] = { ...known, code: own }
      }
      if (before !== undefined || faults.length > maxFaults) return
      said.set(sentence, faults.length)
      // What is cut short may end in half a character.
      const shown = { field: field.toWellFormed(), message: message.toWellFormed() }
      if (faults.length < maxFaults) faults.push({ ...shown, code: own })
      else {
        const message = `There are more than ${maxFaults} errors; the rest is left out.`
        faults.push({ field: '', code, message })
      }
    },
  }
}

export function childOf(path: string, key: string): string {
  return path === '' ? pathKey(key) : `${path}.${pathKey(key)}`
}

/** A key as a path has it. */
export function pathKey(key: string): string {
  return key.length > 100 ? `${key.slice(0, 99)}…`.toWellFormed() : key
}

/** What an error calls the thing at a path: its last name, `visuals[2]` for an item. */
export function nameOf(path: string): string {
  return path === '' ? 'the request' : path.slice(path.lastIndexOf('.') + 1)
}

const shownLength = 80

/** A value as an error shows it, short and on one line. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'string' && value.length > shownLength) {
    return `${JSON.stringify(value.slice(0, shownLength - 1))}… (${value.length} characters)`
  }
  if (typeof value === 'number') return String(value)
  return JSON.stringify(value) ?? 'nothing'
}
