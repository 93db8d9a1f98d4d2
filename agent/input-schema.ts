import { fromJsonSchema } from '@modelcontextprotocol/server'
import { inputFaults } from './input-faults.ts'
import type { ObjectSchema } from './tool.ts'
import { faultLines } from './wording.ts'

/** Most members and items of an input, whatever their depth. */
const elementsMost = 20_000

const tooManyElements = `invalid_request: The arguments must have at most ${elementsMost} elements in all. Got more. Save the project in parts with save_draft and edit_draft, and send its draft.`

/** A tool's input that breaks its schema, kept for the tool's own refusal. */
export class RefusedInput {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Returns an input schema whose refusals name every field, its rule, the value and the next step.
 * A faulty input passes as a RefusedInput: the SDK would put words of its own before ours.
 */
export function inputSchemaOf(input: ObjectSchema) {
  const schema = fromJsonSchema<object>(input as never)
  const own = schema['~standard']
  const validate: typeof own.validate = (value, ...rest) => {
    if (hasMoreElements(value, elementsMost)) return { value: new RefusedInput(tooManyElements) }
    const faults = inputFaults(input, value)
    if (faults.length === 0) return own.validate(value, ...rest)
    return { value: new RefusedInput(refusalOf(faults)) }
  }
  return { ...schema, '~standard': { ...own, validate } } as typeof schema
}

function refusalOf(faults: ReturnType<typeof inputFaults>): string {
  const next = 'Mend the fields named above and call the tool again; tools/list has its schema.'
  return ['invalid_request: The input must fit the tool.', ...faultLines(faults), next].join('\n')
}

/** Stops counting where the answer is known: a stranger chose the size. */
function hasMoreElements(value: unknown, most: number): boolean {
  let count = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== 'object' || node === null) continue
    const children = Object.values(node)
    count += children.length
    if (count > most) return true
    for (const child of children) open.push(child)
  }
  return false
}
