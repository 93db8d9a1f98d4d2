import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

/**
 * Loaded by ava into every test process. One whose ava is killed would live on, with all that it
 * started: it ends instead, and what it started ends with it (infra/local/processes.ts).
 */
process.once('disconnect', () => process.exit(1))

// What a list of processes says, and the suite of one that did not end.
process.title = `ava ${relative(process.cwd(), fileURLToPath(test.meta.file))}`
