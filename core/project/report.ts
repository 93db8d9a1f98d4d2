import { type ErrorCode, errorCodes, type Fault } from '../errors.ts'

/** Most faults that are listed one by one. */
const maxFaults = 500

/**
 * Collects the faults of one pass. Repeated faults, such as those of a scene's clones, count once,
 * with the graver code: shape before meaning.
 */
export type Report = {
  readonly faults: Fault[]
  /** Code of faults that the published schema lets pass. */
  readonly meaning: ErrorCode
  /** True when faults are no longer listed. */
  isFull(): boolean
  add(field: string, message: string, code?: ErrorCode): void
}

/** `code`: the default code of added faults. */
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
      // A cut text may end in half a character.
      const shown = { field: field.toWellFormed(), message: message.toWellFormed() }
      if (faults.length < maxFaults) faults.push({ ...shown, code: own })
      else {
        const message = `The request has more than ${maxFaults} errors; the rest is left out.`
        faults.push({ field: '', code, message })
      }
    },
  }
}

export function childOf(path: string, key: string): string {
  return path === '' ? pathKey(key) : `${path}.${pathKey(key)}`
}

/** Shortens a key for a path. */
export function pathKey(key: string): string {
  return key.length > 100 ? `${key.slice(0, 99)}…`.toWellFormed() : key
}

/** Returns the name in an error for a path: its last part, `visuals[2]` for an item. */
export function nameOf(path: string): string {
  return path === '' ? 'the request' : path.slice(path.lastIndexOf('.') + 1)
}

const shownLength = 80

/** Shows a value in an error, short and on one line. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'string' && value.length > shownLength) {
    return `${JSON.stringify(value.slice(0, shownLength - 1))}… (${value.length} characters)`
  }
  if (typeof value === 'number') return String(value)
  return JSON.stringify(value) ?? 'nothing'
}
