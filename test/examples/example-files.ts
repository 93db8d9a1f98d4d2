import { listExamples } from '../../examples/list.ts'

export const folder = new URL('../../examples', import.meta.url).pathname

/** Every example, with its variables. */
export const examples = listExamples()
