import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/**
 * Compiles client/ into `folder`: modules for Node and browsers, their types, and a package.json.
 * Node runs TypeScript directly, except in an installed package, and browsers do not run it.
 * @throws when client/ uses an API that some browser lacks: it is compiled without Node's types
 */
export function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const args = ['-p', join(root, 'client', 'tsconfig.json'), '--outDir', folder]
  execFileSync(tsc, [...args, '--noEmit', 'false', '--declaration'], { encoding: 'utf8' })
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const manifest = {
    name: 'render-farm-client',
    ...{ version, license, type: 'module', sideEffects: false },
    engines: { node: '>=20.3' },
    exports: {
      '.': { types: './farm-client.d.ts', default: './farm-client.js' },
      './webhooks': { types: './webhooks.d.ts', default: './webhooks.js' },
    },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
