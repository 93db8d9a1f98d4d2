import { statSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { FarmClient, Preview, PreviewRequest } from '../../client/farm-client.ts'
import { usage } from '../failure.ts'
import { untilInterrupted } from './interrupted.ts'
import { findLocalMedia } from './local-media.ts'
import { prepareOutput } from './output-path.ts'
import { withOwnFarm } from './own-farm.ts'
import { createProgress } from './progress.ts'
import { asRenderRequest, type RequestFile, readProjectFile } from './project-file.ts'
import { firstRetries, remoteFarm } from './remote-farm.ts'
import { warningLines } from './validate.ts'

export type PreviewFileOptions = {
  readonly file: string
  readonly output?: string
  readonly var?: Record<string, unknown>
  readonly times?: readonly number[]
  readonly width?: number
  readonly refresh?: boolean
  readonly workers: number
  readonly data?: string
}

/** `farm preview`. @throws Failure */
export async function previewFile(options: PreviewFileOptions): Promise<void> {
  const began = performance.now()
  const request = readProjectFile(options.file, options.var)
  const media = findLocalMedia(request, options.file)
  const output = prepareOutput(sheetPath(options))
  const remote = remoteFarm(media)
  const progress = createProgress(process.stderr)
  const interrupted = untilInterrupted()
  const show = async (farm: FarmClient, of: RequestFile, stop: Promise<never>) => {
    const preview = await paint(farm, { request: of, options, interrupted: stop })
    await writeWhole(output, preview.image)
    progress.end()
    process.stdout.write(summary(preview, { output, seconds: (performance.now() - began) / 1000 }))
  }
  try {
    if (remote) await show(remote, request, interrupted)
    else {
      const run = { request, media, options, progress, began, interrupted }
      await withOwnFarm(run, async (farm, on) => show(farm, on.request, on.interrupted))
    }
  } finally {
    progress.end()
  }
  process.exit(0)
}

async function paint(
  farm: FarmClient,
  {
    request,
    options: { times, width, refresh },
    interrupted,
  }: { request: RequestFile; options: PreviewFileOptions; interrupted: Promise<never> },
): Promise<Preview> {
  const over = new AbortController()
  // A file that describes a render may name both; they are for its job alone.
  const { webhookUrl: _, jobId: __, ...shown } = asRenderRequest(request)
  const asked: PreviewRequest = {
    ...shown,
    ...(times && { times: [...times] }),
    ...(width !== undefined && { width }),
    ...(refresh && { refresh }),
  }
  try {
    const painting = farm.preview(asked, { signal: over.signal, retries: firstRetries })
    return await Promise.race([painting, interrupted])
  } finally {
    over.abort()
  }
}

function sheetPath({ file, output }: PreviewFileOptions): string {
  const name = `${basename(file).replace(/\.json$/i, '')}.jpg`
  if (output === undefined) return name
  const isFolder =
    output.endsWith('/') || statSync(output, { throwIfNoEntry: false })?.isDirectory()
  const path = isFolder ? join(output, name) : output
  const ending = extname(path).slice(1).toLowerCase()
  if (!/^[a-z]/.test(ending) || ending === 'jpg' || ending === 'jpeg') return path
  throw usage(`--output must end in .jpg or .jpeg, as a preview is a JPEG. Got ${path}`)
}

/** An incomplete file never has that name. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const unfinished = `${file}.unfinished`
  try {
    await writeFile(unfinished, bytes)
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

function summary(
  { width, height, size, frames, warnings }: Preview,
  { output, seconds }: { output: string; seconds: number },
): string {
  const times = frames.map(({ time }) => time).join(', ')
  const shown = frames.length === 1 ? '1 frame' : `${frames.length} frames, at ${times} s`
  const facts = `${width}x${height}, ${Math.ceil(size / 1000)} kB, ${shown}`
  const lines = [output, `  ${facts}`, `  painted in ${seconds.toFixed(1)} s`]
  return `\n${[...lines, ...warningLines(warnings)].join('\n')}\n`
}
