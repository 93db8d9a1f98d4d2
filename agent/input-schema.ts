import { fromJsonSchema } from '@modelcontextprotocol/server'
import { inputFaults } from './input-faults.ts'
import type { ObjectSchema } from './tool.ts'
import { faultLines } from './wording.ts'

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
