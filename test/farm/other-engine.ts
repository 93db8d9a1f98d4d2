import { registerHooks } from 'node:module'

/**
 * Loaded before a role (`--import`): gives its process the engine that FARM_TEST_ENGINE names, as a release
 * with another `core/engine.ts` would.
 */
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('/core/engine.ts')) return nextLoad(url, context)
    const source = `export const engineVersion = ${JSON.stringify(process.env.FARM_TEST_ENGINE)}`
    return { format: 'module', shortCircuit: true, source }
  },
})
