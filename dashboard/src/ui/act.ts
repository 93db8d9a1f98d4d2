import { toast } from './toast.tsx'

/**
 * Does what a button says, and tells what came of it; '' tells nothing. `undo`: takes it back. Returns
 * undefined when the farm refuses.
 */
export async function act<T>(
  doing: () => Promise<T>,
  done: string | ((answer: T) => string),
  undo?: () => void,
): Promise<T | undefined> {
  try {
    const answer = await doing()
    const words = typeof done === 'string' ? done : done(answer)
    if (words !== '') toast(words, { undo })
    return answer
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
