import { listExamples } from '../../examples/list.ts'

export const folder = new URL('../../examples', import.meta.url).pathname

/** Every example, with the variables that it is rendered with. */
export const examples = listExamples()
