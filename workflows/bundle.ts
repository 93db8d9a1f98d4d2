import { createHash, randomUUID } from 'node:crypto'
import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import { type Env, EnvError } from '../runtime/env.ts'
import type { Log } from '../runtime/log.ts'
import { sha256 } from '../runtime/sha256.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const checkout = join(here, '..')
const cache = fileURLToPath(new URL('../node_modules/.cache/farm/', import.meta.url))

const setting = 'FARM_WORKFLOW_BUNDLE'
const advice = `\`farm workflows --bundle FILE\` makes one beforehand, for ${setting}`

/** `buildId`: names the code that drives a job, equal on every machine. */
export type WorkflowBundle = { readonly code: string; readonly buildId: string }

/**
 * The workflows' code for Temporal's sandbox: one script, read from `file` if given. Bundling takes
 * seconds, so the script is cached on disk by the hash of its sources. Without a writable cache it
 * is bundled each time. The id of a build to which jobs are pinned (`isPinned`) covers their steps.
 * @throws EnvError for a false `file`
 */
export async function workflowBundle(
  log: Log,
  { file, isPinned = false }: { file?: string | undefined; isPinned?: boolean } = {},
): Promise<WorkflowBundle> {
  const sources = await hashOf(sandboxed)
  const buildId = isPinned ? await hashBuild() : sources
  if (file !== undefined) return { buildId, code: await readBundle(file, sources) }
  const cached = join(cache, `workflows-${sources}.js`)
  const known = await readFile(cached, 'utf8').catch(() => undefined)
  if (known !== undefined) return { buildId, code: known }
  const code = await makeBundle(log)
  await keep(cached, code).catch((error: unknown) =>
    log.warn({ err: error }, 'the workflow bundle could not be cached'),
  )
  return { buildId, code }
}

/** Writes a bundle: `farm workflows --bundle FILE`. */
export async function writeBundle(file: string, log: Log): Promise<void> {
  const [sources, code] = await Promise.all([hashOf(sandboxed), makeBundle(log)])
  await keep(file, `${headerOf(sources, code)}\n${code}`)
}

/** FARM_WORKFLOW_BUNDLE: a file that `farm workflows --bundle` wrote. */
export function readBundleFile(env: Env): string | undefined {
  return env[setting] || undefined
}

async function makeBundle(log: Log): Promise<string> {
  try {
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(here, 'definitions/sandboxed.ts'),
      logger: new DefaultLogger('WARN', ({ level, message }) => log.info({ level }, message)),
    })
    return code
  } catch (error) {
    throw new Error(`the workflow bundle could not be made here (${advice}): ${error}`)
  }
}

/** @throws EnvError when it cannot be read, is incomplete, or was made from other sources */
async function readBundle(file: string, sources: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new EnvError(setting, `a file that can be read (${error.code}); ${advice}`, file)
  })
  const end = text.indexOf('\n')
  const [header, code] = [text.slice(0, end), text.slice(end + 1)]
  const [, of, hash] = /^\/\/ farm workflows ([0-9a-f]{32}) ([0-9a-f]{64})$/.exec(header) ?? []
  if (hash === undefined || hash !== sha256(code)) {
    throw new EnvError(setting, `a whole bundle of workflows; ${advice}`, file)
  }
  if (of !== sources) {
    const rule = `a bundle of this version's workflows (${sources}), not of another's (${of}); ${advice}`
    throw new EnvError(setting, rule, file)
  }
  return code
}

function headerOf(sources: string, code: string): string {
  return `// farm workflows ${sources} ${sha256(code)}`
}

/** All that the sandboxed code may import. */
const sandboxed = ['workflows/contract.ts', 'workflows/definitions/*.ts', 'core/**/*.ts']
/** That, and all that the steps of a job may import: they are local activities of the same process. */
const ofSteps = ['workflows', 'core', 'runtime', 'store'].map((room) => `${room}/**/*.ts`)

/** Hashes all code that drives a job. `root`: the folder of the rooms. */
export async function hashBuild(root = checkout): Promise<string> {
  return await hashOf(ofSteps, root)
}

/** Hashes files by their patterns, and the SDK's version. */
async function hashOf(patterns: readonly string[], root = checkout): Promise<string> {
  const require = createRequire(import.meta.url)
  const { version } = require('@temporalio/worker/package.json') as { version: string }
  const hash = createHash('sha256').update(version)
  const paths: string[] = []
  for await (const path of glob(patterns, { cwd: root })) paths.push(path)
  for (const path of paths.sort()) {
    hash.update(`\0${path}\0`).update(await readFile(join(root, path)))
  }
  return hash.digest('hex').slice(0, 32)
}

/** Renamed into place, so that another process never reads half of it. */
async function keep(file: string, code: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${randomUUID()}`
  await writeFile(unfinished, code)
  await rename(unfinished, file)
}
