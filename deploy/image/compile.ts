// Loads the code of every role once while the image is built, so that V8's cache of it is in the
// image: NODE_COMPILE_CACHE names the folder. A read-only root could not keep one.
const roles = [
  ...['cli/program.ts', 'cli/farm/control.ts', 'cli/farm/migrate-database.ts'],
  ...['api/main.ts', 'scheduler/main.ts', 'workflows/main.ts', 'worker/main.ts'],
]
for (const file of roles) await import(`/app/${file}`)
// Some code holds the loop open; the cache is written when the process exits.
process.exit()
