import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { bundledFamilies } from '../../core/looks/families.ts'
import { filmFormats, type SoundEncoder, type VideoEncoder } from '../../core/plan/formats.ts'
import { findProgram, onPath, ownFfmpeg, ownFfmpegDir } from '../../infra/setup/cache.mjs'
import { ownFfmpegState } from '../../infra/setup/ffmpeg.mjs'
import { countCores } from '../../runtime/cores.ts'
import { readTemporalServer, type TemporalServer } from '../../runtime/temporal.ts'
import { diagnoseTemporal } from '../../runtime/temporal-diagnostics.ts'
import { findChromium } from '../../worker/bake/browser.ts'
import { openOwnBrowser } from '../../worker/bake/code/own-browser.ts'
import { createFonts } from '../../worker/bake/fonts.ts'
import { probeEncoders } from '../../worker/encode/probe.ts'
import { programPath } from '../../worker/process/ffmpeg.ts'
import { createSandbox, sandboxState } from '../../worker/process/sandbox.ts'
import { type Finding, missing, ok, optional } from './finding.ts'
import { commandTimeoutMs, firstLine, firstLineOf, setUp } from './programs.ts'

/**
 * Checks all but the canvases: programs, servers and fonts. Each check stands alone and never
 * rejects.
 */

export async function examineNode(): Promise<Finding> {
  const file = new URL('../../package.json', import.meta.url)
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
    dependencies: Record<string, string>
  }
  const wanted = Number.parseInt(dependencies.node?.replace(/^\D*/, '') ?? '', 10)
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  const facts = `${process.versions.node}, ${coresInWords()}, ${gigabytes} GiB, ${process.platform} ${process.arch}`
  if (Number.parseInt(process.versions.node, 10) >= wanted) return ok('Node', facts)
  return missing('Node', facts, `use ./farm, which runs the Node ${wanted} that npm installed`)
}

function coresInWords(): string {
  const { cores, machine, limit } = countCores()
  return limit === undefined ? `${cores} cores` : `${cores} of ${machine} cores (by ${limit})`
}

export async function examineFfmpeg(): Promise<readonly Finding[]> {
  let path: string
  try {
    path = programPath('ffmpeg')
  } catch (error) {
    return [missing('ffmpeg', firstLineOf(error), 'name another folder, or none')]
  }
  const version = await firstLine(path, '-version')
  if (!version.works || !(isAbsolute(path) || onPath('ffprobe'))) {
    const isThere = isAbsolute(path) || onPath('ffmpeg')
    return [missing('ffmpeg', isThere ? version.line : 'not on PATH', setUp)]
  }
  const probes = await probeEncoders(await createSandbox('auto'))
  const h264: readonly string[] = filmFormats.mp4.video
  const makesMp4 = probes.some(({ name, works }) => works && h264.includes(name))
  const encoders = probes.map(({ name, works, reason }) => {
    // ffmpeg names its own part first: [h264_nvenc @ 0x5646b4f04880]
    const why = reason.replace(/\[[^\]]* @ [^\]]*\] /, '')
    if (works) return ok(name, 'encoded a frame')
    const advice =
      name === 'h264_nvenc'
        ? 'needs an NVIDIA GPU with NVENC and its driver, and a /proc behind the fence'
        : `use an ffmpeg built with ${name}; without it this machine makes no ${formatsWith(name)}`
    return makesMp4 && name !== 'aac' ? optional(name, why, advice) : missing(name, why, advice)
  })
  const number = version.line.replace(/^ffmpeg version (\S+).*/, '$1')
  return [await findingOf(path, number), ...encoders]
}

/**
 * Tells which ffmpeg it is, and how the set-up's own build stands where that matters for it. One that
 * the set-up built keeps the bugs of its sources until it is built again.
 */
async function findingOf(path: string, version: string): Promise<Finding> {
  const which = `${version} (${isAbsolute(path) ? path : 'on PATH'})`
  const isOwn = isAbsolute(path) && ownFfmpeg() === dirname(path)
  if (isAbsolute(path) && !isOwn) return ok('ffmpeg', which)
  const { state, facts } = await ownFfmpegState()
  if (facts === '') return ok('ffmpeg', which)
  const again = `${setUp}; where that does nothing, ${join(ownFfmpegDir(), 'build')} says why and is to be removed first`
  const advice = state === 'building' ? 'the next start of a worker uses it' : again
  return optional('ffmpeg', `${which}; ${facts}`, advice)
}

function formatsWith(encoder: VideoEncoder | SoundEncoder): string {
  const wanting = Object.entries(filmFormats).filter(
    ([, { video, sound }]) => sound === encoder || video.some((name) => name === encoder),
  )
  return wanting.map(([format]) => format).join(' or ')
}

export async function examineChromium(): Promise<Finding> {
  const path = await findChromium()
  if (path === undefined)
    return missing('Chromium', 'not on PATH', `${setUp}, or set FARM_CHROMIUM`)
  const { works, line } = await firstLine(path, '--version')
  if (!works) return missing('Chromium', `${path}: ${line}`, setUp)
  return ok('Chromium', `${line.trim()} (${path})`)
}

export async function examineSandbox(): Promise<Finding> {
  const { level, reason } = await sandboxState('auto')
  const advice = 'install bubblewrap and allow user namespaces; production refuses to start without'
  if (level === 'bwrap') return ok('sandbox', reason)
  return optional('sandbox', reason, advice)
}

/** Starts the browser for custom code, as a bake does. */
export async function examineCustomCode(): Promise<Finding> {
  const dataDir = await mkdtemp(join(tmpdir(), 'farm-doctor-'))
  try {
    const sandbox = await createSandbox('auto')
    const { kill } = await openOwnBrowser({ dataDir, sandbox })
    await kill()
    if (sandbox.state.level === 'bwrap') return ok('customCode', 'a browser starts inside bwrap')
    const facts = 'a browser starts, fenced only by its own sandbox'
    return optional('customCode', facts, 'see sandbox')
  } catch (error) {
    const advice = 'customCode fails here; bwrap must be able to mount a /proc of its own'
    return optional('customCode', firstLineOf(error), advice)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

export async function examineTemporal(): Promise<Finding> {
  const { TEMPORAL_ADDRESS: address } = process.env
  if (address) return await examineTemporalServer(address)
  const path = findProgram('temporal')
  if (path === undefined) {
    return missing('Temporal', 'not on this machine', `${setUp}, or set TEMPORAL_ADDRESS`)
  }
  const { works, line } = await firstLine(path, '--version')
  return works ? ok('Temporal', `${line} (${path})`) : missing('Temporal', line, setUp)
}

async function examineTemporalServer(address: string): Promise<Finding> {
  const { Connection } = await import('@temporalio/client')
  let server: TemporalServer | undefined
  try {
    server = readTemporalServer(process.env, address)
    const connection = await Connection.connect({ ...server, connectTimeout: commandTimeoutMs })
    const { serverVersion } = await connection.workflowService.getSystemInfo({})
    await connection.close()
    const how = server.tls === false ? 'in plain text' : 'by TLS'
    return ok('Temporal', `server ${serverVersion} at TEMPORAL_ADDRESS, ${how}`)
  } catch (error) {
    const why = server && (await diagnoseTemporal(server))
    return missing('Temporal', why ?? firstLineOf(error), 'check TEMPORAL_ADDRESS, TEMPORAL_TLS_*')
  }
}

/** Checks that every family's style sheet exists. */
export async function examineFonts(): Promise<Finding> {
  const fonts = createFonts()
  const read = await Promise.allSettled(bundledFamilies.map((family) => fonts.faces(family)))
  const absent = bundledFamilies.filter((_, index) => read[index]?.status === 'rejected')
  if (absent.length === 0)
    return ok('fonts', `${bundledFamilies.length} families come with the farm`)
  return missing('fonts', `not installed: ${absent.join(', ')}`, 'run `npm ci`')
}
