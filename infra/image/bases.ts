import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { engineEnv, mustRunGently } from './engine.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Names of the two images that stand in for those of a registry. */
export const localBases = { base: 'localhost/debian:12', node: 'localhost/node:24' } as const

function isThere(image: string): boolean {
  try {
    const env = { ...process.env, ...engineEnv() }
    execFileSync('podman', ['image', 'exists', image], { stdio: 'ignore', env })
    return true
  } catch {
    return false
  }
}

/**
 * Makes both bases where they are missing: Debian from its packages, and the same with the Node and
 * npm that this machine has installed from package-lock.json. Needs mmdebstrap, podman and root.
 */
export function makeBases(): void {
  const folder = mkdtempSync(join(tmpdir(), 'farm-bases-'))
  try {
    if (!isThere(localBases.base)) importDebian(folder)
    if (!isThere(localBases.node)) addNode(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function importDebian(folder: string): void {
  const archive = join(folder, 'debian.tar')
  const args = ['--variant=minbase', '--include=ca-certificates', 'bookworm', archive]
  mustRunGently(['mmdebstrap', ...args])
  mustRunGently(['podman', 'import', archive, localBases.base])
}

function addNode(folder: string): void {
  const context = join(folder, 'node')
  cpSync(join(npmFolder(), '..', 'npm'), join(context, 'npm'), {
    recursive: true,
    dereference: true,
  })
  copyFileSync(join(root, 'node_modules', '.bin', 'node'), join(context, 'node'))
  chmodSync(join(context, 'node'), 0o755)
  mustRunGently([
    ...['buildah', 'build', '--isolation', 'chroot', '--pull-never'],
    ...['--build-arg', `BASE=${localBases.base}`, '-f', join(root, 'deploy/image/Node'), '-t'],
    ...[localBases.node, context],
  ])
}

/** @throws Error where the machine's npm is not found */
function npmFolder(): string {
  const prefix = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim()
  const folder = join(prefix, 'npm')
  if (!existsSync(folder)) throw new Error(`npm must be in ${prefix}`)
  return folder
}
