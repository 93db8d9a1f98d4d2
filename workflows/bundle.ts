import { createHash, randomUUID } from 'node:crypto'
import { glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import type { Log } from '../runtime/log.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const cache = fileURLToPath(new URL('../node_modules/.cache/farm/', import.meta.url))

/**
 * The workflows' code as Temporal's sandbox wants it: one script. Making it costs seconds, so it is
 * kept on disk under the hash of what it is made of; where that cannot be written, it is made anew.
 */
export async function workflowBundle(log: Log): Promise<{ code: string }> {
  const file = join(cache, `workflows-${await hashSources()}.js`)
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known !== undefined) return { code: known }
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(here, 'sandboxed.ts'),
    logger: new DefaultLogger('WARN', ({ level, message }) => log.info({ level }, message)),
  })
  await keep(file, code).catch((error: unknown) =>
    log.warn({ err: error }, 'the workflow bundle could not be kept'),
  )
  return { code }
}

/** All that the sandboxed code may import: this folder, core/, and the SDK of one version. */
async function hashSources(): Promise<string> {
  const require = createRequire(import.meta.url)
  const { version } = require('@temporalio/worker/package.json') as { version: string }
  const hash = createHash('sha256').update(version)
  const paths: string[] = []
  for await (const path of glob(['workflows/*.ts', 'core/**/*.ts'], { cwd: join(here, '..') })) {
    paths.push(path)
  }
  for (const path of paths.sort()) {
    hash.update(`\0${path}\0`).update(await readFile(join(here, '..', path)))
  }
  return hash.digest('hex').slice(0, 32)
}

/** Renamed into place: another process never reads a half of it. */
async function keep(file: string, code: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  const unfinished = `${file}.${randomUUID()}`
  await writeFile(unfinished, code)
  await rename(unfinished, file)
}
