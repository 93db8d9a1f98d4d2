import address from './judge.worker.ts?worker&url'

/**
 * Starts the judge's worker. The pages' policy takes addresses of scripts from the policy
 * `dashboard` alone, and it admits one: that of this build's worker.
 */
export function startWorker(): Worker {
  return new Worker(trusted(address) as string, { type: 'module', name: 'judge' })
}

type ScriptAddress = { toString(): string }
type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL: (address: string) => ScriptAddress }
}

function trusted(address: string): ScriptAddress {
  policy ??= (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
    'dashboard',
    { createScriptURL: onlyOwn },
  )
  return policy?.createScriptURL(address) ?? address
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

function onlyOwn(given: string): string {
  if (given !== address) throw new TypeError(`No script of this build: ${given}`)
  return given
}
