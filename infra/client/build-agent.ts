import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const sdk = '@modelcontextprotocol/server'

/** Compiles agent/ and client/ into `folder`: a package with the program `farm-agent`. */
export function buildAgent(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const args = ['-p', join(root, 'agent', 'tsconfig.json'), '--outDir', folder]
  execFileSync(tsc, [...args, '--noEmit', 'false'], { encoding: 'utf8' })
  copyFileSync(join(root, 'agent', 'README.md'), join(folder, 'README.md'))
  const { version, license, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const manifest = {
    name: 'render-farm-agent',
    ...{ version, license, type: 'module' },
    description: 'Tools of a render farm for AI agents, over stdio (MCP).',
    engines: { node: '>=20.3' },
    bin: { 'farm-agent': './agent/main.js' },
    dependencies: { [sdk]: dependencies[sdk] },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
