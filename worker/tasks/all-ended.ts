/** All of them, when all have ended: nothing may go on in the task's directory after the first failure. */
export async function allEnded<const T extends readonly unknown[]>(
  all: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(all)
  return await Promise.all(all)
}
