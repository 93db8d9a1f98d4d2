/** Both, when both have ended: nothing may go on in the task's directory after the first failure. */
export async function allEnded<A, B>(both: readonly [Promise<A>, Promise<B> | B]): Promise<[A, B]> {
  await Promise.allSettled(both)
  return await Promise.all(both)
}
