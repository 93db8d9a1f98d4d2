export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  concurrency: 2,
  timeout: '5m',
  workerThreads: false,
}
