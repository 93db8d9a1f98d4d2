import { toast } from './toast.tsx'

/** Does what a button says, and tells what came of it. Returns undefined when the farm refuses. */
export async function act<T>(doing: () => Promise<T>, done: string): Promise<T | undefined> {
  try {
    const answer = await doing()
    toast(done)
    return answer
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
