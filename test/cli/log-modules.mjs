// Appends the address of each module that a process loads to the file FARM_TEST_MODULES:
// NODE_OPTIONS="--import …/log-modules.mjs", which child processes inherit.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const file = process.env.FARM_TEST_MODULES ?? ''
registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  },
})
