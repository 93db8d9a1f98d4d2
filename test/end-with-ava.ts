import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'

/**
 * Loaded by ava into every test process. A process whose ava is killed would live on with its
 * children; this ends all of them (infra/local/processes.ts).
 */
process.once('disconnect', () => process.exit(1))

// Names the process after its suite, for lists of processes and for suites that do not end.
process.title = `ava ${relative(process.cwd(), fileURLToPath(test.meta.file))}`
