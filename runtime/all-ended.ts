/**
 * Waits until all have settled, then resolves with all results or the first failure: nothing may
 * still run in the task's directory after that.
 */
export async function allEnded<const T extends readonly unknown[]>(
  all: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(all)
  return await Promise.all(all)
}
