import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { FarmError } from '../../../core/errors.ts'
import type { IngestSpec } from '../../../core/queue/tasks.ts'
import { sniffFile } from '../../../runtime/media/sniff.ts'
import { inspectCaptions } from '../../../worker/media/captions.ts'
import { inspectClip } from '../../../worker/media/clip.ts'
import { inspectSound } from '../../../worker/media/sound.ts'
import { runProgram } from '../../../worker/process/programs.ts'
import type { Sandbox } from '../../../worker/process/sandbox.ts'

/**
 * Inspects one file as ingest does, in a process of its own, and prints the cost on stdout:
 * `inspect-once.ts FILE EXPECT FIELD`. Its programs may use `memoryMegabytes` and no more.
 */
export type Inspected = {
  readonly code: string
  readonly field: string | undefined
  readonly message: string
  /** Cost of this process and all its children, since before the file was opened. */
  readonly cpuSeconds: number
  readonly peakMegabytes: number
}

const memoryMegabytes = 200
/** USER_HZ, the same on every Linux. */
const ticksInSecond = 100
const [file = '', expect = 'video', field = ''] = process.argv.slice(2)

/**
 * No bwrap: processes in a namespace of their own are not waited for here, so their time would not
 * be counted.
 */
const commandLine = (program: string) => ['prlimit', `--data=${memoryMegabytes * 2 ** 20}`, program]
const sandbox: Sandbox = {
  state: { level: 'prlimit', reason: 'to be measured' },
  commandLine,
  run: ({ fence, program, ...rest }) =>
    runProgram({ ...rest, argv: fence ? commandLine(program) : [program] }),
}

const before = cpuSeconds()
const outcome = await inspect(expect as IngestSpec['expect'])
const inspected: Inspected = {
  ...outcome,
  cpuSeconds: cpuSeconds() - before,
  peakMegabytes: process.resourceUsage().maxRSS / 1024,
}
process.stdout.write(JSON.stringify(inspected))

async function inspect(kind: IngestSpec['expect']) {
  try {
    await look(kind)
    return { code: 'accepted', field: '', message: '' }
  } catch (error) {
    if (!(error instanceof FarmError)) throw error
    return { code: error.code, field: error.field, message: error.message }
  }
}

async function look(kind: IngestSpec['expect']) {
  const work = { sandbox, dir: dirname(file) }
  const sniffed = await sniffFile(file)
  if (kind === 'subtitle') return inspectCaptions({ file, field })
  if (sniffed.kind === 'image' && sniffed.format === 'gif') {
    return inspectClip({ file, field, format: 'gif', kind: 'gif' }, work)
  }
  if (sniffed.kind !== 'audio') throw new Error(`The file must be media. Got ${sniffed.kind}`)
  const { format } = sniffed
  if (kind === 'audio') return inspectSound({ file, field, format }, work)
  if (format !== 'mp4' && format !== 'webm') throw new Error(`Got sound (${format})`)
  return inspectClip({ file, field, format, kind: 'video' }, work)
}

/** Fields 14 to 17 of proc(5)'s stat: this process and its children that have ended, in ticks. */
function cpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksInSecond
}
