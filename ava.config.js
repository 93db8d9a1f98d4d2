export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  require: ['./test/end-with-ava.ts'],
  concurrency: 2,
  timeout: '5m',
  workerThreads: false,
}
