import pg from 'pg'

const deadlock = '40P01'
/** Postgres finds a deadlock after a second, and whatever it does not end goes on. */
const tries = 3

/**
 * Repeats work that Postgres ended for a deadlock. A submission locks its account, then its jobs;
 * a job's end locks the job, then the account. They meet where a submission repeats the id of a job
 * that ends just then. `work` is one transaction, so nothing of it is left.
 */
export async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work()
    } catch (error) {
      const isDeadlock = error instanceof pg.DatabaseError && error.code === deadlock
      if (!isDeadlock || left === 0) throw error
    }
  }
}
