import { totalmem } from 'node:os'
import type { TaskKind } from '../../core/queue/tasks.ts'
import type { Offer } from '../../proto/gen/farm/v1/node.ts'
import type { Log } from '../../runtime/log.ts'
import { findChromium } from '../bake/browser.ts'
import { lanesOf, type WorkerConfig } from '../config.ts'
import { type EncoderProbe, probeEncoders } from '../encode/probe.ts'
import type { Canvas } from '../paint/canvas.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { gpuMemoryMb } from './gpus.ts'

/** Returns the node's proven abilities: each was tried. @throws Error when there is none */
export async function makeOffer(
  config: WorkerConfig,
  { canvas, sandbox, log }: { canvas: Canvas; sandbox: Sandbox; log: Log },
): Promise<Offer> {
  const probes = await probeEncoders(sandbox)
  const encoders = probes.filter(({ works }) => works).map(({ name }) => name)
  const chromium = await findChromium()
  const kinds = config.kinds.filter((kind) => {
    const missing = missingFor(kind, { probes, chromium })
    if (missing) log.warn({ kind, missing }, 'this node cannot do a kind of task')
    return !missing
  })
  if (kinds.length === 0) throw new Error(`A node must be able to do something. ${reasons(probes)}`)
  return {
    kinds,
    slots: config.slots,
    encoders,
    canvas: canvas.name,
    device: canvas.device,
    pool: config.pool,
    tags: [...config.tags, `sandbox:${sandbox.state.level}`],
    memoryMb: Math.floor((memoryShare * memoryBytes()) / config.processes / 2 ** 20),
    encoderSessions: config.encoderSessions,
    gpuMemoryMb: config.gpu === undefined ? 0 : await gpuMemoryMb(config.gpu),
    lanes: lanesOf(config),
  }
}

/** Share of the memory for tasks; the rest is for the system, the node itself and its caches. */
const memoryShare = 0.8

/** Memory that the process may use: a container's limit, else the machine's memory. */
function memoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

function missingFor(
  kind: TaskKind,
  at: { probes: readonly EncoderProbe[]; chromium: string | undefined },
): string | undefined {
  const { probes, chromium } = at
  switch (kind) {
    case 'bake':
      return chromium === undefined ? 'Chromium (package chromium)' : undefined
    case 'ingest':
    case 'render':
    case 'assemble':
    case 'sheet':
      return probes.every(({ works }) => !works)
        ? `an ffmpeg that encodes (package ffmpeg). ${reasons(probes)}`
        : undefined
    case 'still':
      return undefined
    case 'make':
      return missingFor('bake', at) ?? missingFor('render', at)
    default:
      return kind satisfies never
  }
}

function reasons(probes: readonly EncoderProbe[]): string {
  return probes.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
}
