/**
 * Loaded by ava into every test process. One whose ava is killed would live on, with all that it
 * started: it ends instead, and what it started ends with it (infra/local/processes.ts).
 */
process.once('disconnect', () => process.exit(1))
