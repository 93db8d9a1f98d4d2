import { fileURLToPath } from 'node:url'

/** Every test process, and each that it starts, compiles some thousand modules once and for all. */
const compiled = fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  require: ['./test/end-with-ava.ts'],
  environmentVariables: { NODE_COMPILE_CACHE: compiled },
  concurrency: 2,
  timeout: '5m',
  workerThreads: false,
}
