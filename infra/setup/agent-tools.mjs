import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir } from './cache.mjs'
import { mustRun } from './shell.mjs'

/** Folder that pins the public judges of the endpoint for agents: a conformance suite, an inspector. */
const pins = fileURLToPath(new URL('agent-tools', import.meta.url))
const root = join(pins, '..', '..', '..')

function home() {
  const lock = readFileSync(join(pins, 'package-lock.json'))
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  return join(cacheDir(), `agent-tools-${digest}`)
}

/** Path of one of their programs; it may not exist. */
export function agentTool(name) {
  return join(home(), 'node_modules', '.bin', name)
}

/** Path of one of their modules; it may not exist. */
export function agentToolModule(path) {
  return join(home(), 'node_modules', path)
}

/**
 * Returns the step that installs them, or undefined when they are there. They stay out of the
 * project's own packages: 150 MB that only tests need.
 */
export function agentToolsStep() {
  if (existsSync(agentTool('conformance'))) return undefined
  return {
    // npm refuses a package for a newer Node than the one it runs on.
    after: ['packages'],
    lock: join(cacheDir(), 'agent-tools.lock'),
    isNeeded: () => !existsSync(agentTool('conformance')),
    name: 'the public test suites for agent endpoints',
    how: `into ${home()}`,
    async install() {
      await mkdir(cacheDir(), { recursive: true })
      const folder = await mkdtemp(join(cacheDir(), '.agent-tools-'))
      try {
        for (const file of ['package.json', 'package-lock.json']) {
          await copyFile(join(pins, file), join(folder, file))
        }
        const node = dirname(join(root, 'node_modules', '.bin', 'node'))
        await mustRun('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
          cwd: folder,
          env: { PATH: `${node}:${process.env.PATH}` },
          sentence:
            'The test suites for agent endpoints could not be installed: see what npm says above, then run this again.',
        })
        await rename(folder, home())
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
