import { X509Certificate } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { nodeIdOf } from '../core/fleet/node-identity.ts'
import { type TaskKind, taskKinds } from '../core/queue/tasks.ts'
import { countCores } from '../runtime/cores.ts'
import {
  type Env,
  EnvError,
  isProduction,
  type ListenAddress,
  readChoice,
  readChoices,
  readInteger,
  readList,
  readListenAddress,
  readSecret,
  readText,
  readTrustedHosts,
} from '../runtime/env.ts'
import { readTlsFiles, type TlsFiles } from '../runtime/tls.ts'
import { readSchedulerAddress } from './agent/scheduler-address.ts'
import { type EnrolmentConfig, readEnrolment } from './enrolment/settings.ts'
import { frameSourceNames, withPainter } from './frames/sources.ts'
import { type GpuDecodingChoice, gpuDecodingChoices } from './media/gpu-decoding.ts'
import { type CanvasChoice, canvasChoices } from './paint/choose.ts'
import type { SandboxMode } from './process/sandbox.ts'

export type WorkerConfig = {
  /** gRPC target of one or several schedulers. */
  readonly schedulerAddress: string
  /** How the node gets a certificate; absent = it has one, or needs none. */
  readonly enrolment: EnrolmentConfig | undefined
  /** This node's certificate; absent = plain text, or an enrolment. */
  readonly tls: TlsFiles | undefined
  /** Token that the scheduler requires of its nodes, when set. */
  readonly nodeToken: string | undefined
  /** Absent = the id kept in `dataDir`, made there the first time. */
  readonly nodeId: string | undefined
  readonly nodeName: string
  /** Directory of this node alone: its id, caches and scratch directories. */
  readonly dataDir: string
  /** Number of workers that share the machine's cores, memory and disk, this one included. */
  readonly processes: number
  readonly kinds: readonly TaskKind[]
  /** Tasks at once. Many are short or wait; painting and encoding share `lanes`. */
  readonly slots: number
  readonly lanes: number
  readonly canvas: CanvasChoice
  /** Names of the frame sources that it may use, the painter among them. */
  readonly frameSources: readonly string[]
  /**
   * Use of a GPU to decode clips; `auto`: only kinds of clips that it decodes faster than the
   * processor, with equal frames.
   */
  readonly gpuDecoding: GpuDecodingChoice
  readonly sandbox: SandboxMode
  readonly strictFonts: boolean
  readonly trustedHosts: readonly string[]
  readonly pool: string
  readonly tags: readonly string[]
  /** Sessions that the GPU's encoder allows at once; 0 = no limit. */
  readonly encoderSessions: number
  /** The one device of this process, as nvidia-smi names it (index or UUID). */
  readonly gpu: string | undefined
  /** Seconds that running tasks get when the node is stopped. */
  readonly drainSeconds: number
  readonly metricsAddress: ListenAddress
  /** Address of grpc.health.v1, when it is to be served. */
  readonly healthAddress: ListenAddress | undefined
}

/** Segments at once. A lane encodes one at a time: no more of them than the encoder has sessions. */
export function lanesOf({
  lanes,
  encoderSessions,
}: Pick<WorkerConfig, 'lanes' | 'encoderSessions'>): number {
  return Math.min(lanes, encoderSessions || lanes)
}

/** Seconds that a node takes beyond its drain: to hand tasks back and to end its programs. */
const endSeconds = 10

/** Milliseconds within which a node ends that is told to stop. */
export function graceMsOf({ drainSeconds }: Pick<WorkerConfig, 'drainSeconds'>): number {
  return 1_000 * (drainSeconds + endSeconds)
}

const minTokenLength = 16
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const slotsMax = 64
const processesMax = 64
const drainSecondsMax = 3_600

/** Reads the node's settings. @throws EnvError */
export function readConfig(env: Env): WorkerConfig {
  const processes = readInteger(env, 'FARM_PROCESSES', { min: 1, max: processesMax, fallback: 1 })
  const cores = Math.max(1, Math.floor(countCores().cores / processes))
  const dataDir = resolve(readText(env, 'FARM_DATA', 'a directory', '.farm/node'))
  const enrolment = readEnrolment(env, dataDir)
  const tls = enrolment ? undefined : readTlsFiles(env)
  return {
    schedulerAddress: readSchedulerAddress(env),
    nodeToken: env.FARM_NODE_TOKEN ? readSecret(env, 'FARM_NODE_TOKEN', minTokenLength) : undefined,
    enrolment,
    tls,
    nodeId: tls ? readNodeIdIn(tls) : readNodeId(env),
    nodeName: readText(env, 'FARM_NODE_NAME', 'a name', hostname()),
    dataDir,
    processes,
    kinds: readChoices(env, 'FARM_KINDS', Object.keys(taskKinds) as TaskKind[]),
    slots: readInteger(env, 'FARM_SLOTS', {
      min: 1,
      max: slotsMax,
      fallback: Math.min(2 * cores, slotsMax),
    }),
    lanes: readInteger(env, 'FARM_LANES', { min: 1, max: slotsMax, fallback: cores }),
    canvas: readChoice(env, 'FARM_CANVAS', canvasChoices, 'auto'),
    frameSources: withPainter(readChoices(env, 'FARM_FRAME_SOURCES', frameSourceNames)),
    gpuDecoding: readChoice(env, 'FARM_GPU_DECODING', gpuDecodingChoices, 'off'),
    // Production must switch the fence off explicitly before strangers' files are read without one.
    sandbox: readChoice(
      env,
      'FARM_SANDBOX',
      ['off', 'auto', 'require'],
      isProduction(env) ? 'require' : 'auto',
    ),
    strictFonts: readChoice(env, 'FARM_FONTS', ['fallback', 'strict'], 'fallback') === 'strict',
    trustedHosts: readTrustedHosts(env),
    pool: env.FARM_POOL ?? '',
    tags: readList(env, 'FARM_TAGS'),
    encoderSessions: readInteger(env, 'FARM_ENCODER_SESSIONS', { min: 0, max: 1024, fallback: 0 }),
    gpu: env.FARM_GPU || undefined,
    drainSeconds: readInteger(env, 'FARM_DRAIN_SECONDS', {
      ...{ min: 0, max: drainSecondsMax, fallback: 10 },
    }),
    metricsAddress: readListenAddress(env, 'FARM_METRICS_ADDRESS', '127.0.0.1:9473'),
    healthAddress: env.FARM_HEALTH_ADDRESS
      ? readListenAddress(env, 'FARM_HEALTH_ADDRESS', '')
      : undefined,
  }
}

function readNodeId(env: Env): string | undefined {
  const id = env.FARM_NODE_ID || undefined
  if (id !== undefined && !uuid.test(id)) throw new EnvError('FARM_NODE_ID', 'a lowercase UUID', id)
  return id
}

/** The certificate names the node when TLS is on. */
function readNodeIdIn({ cert }: TlsFiles): string {
  const id = nodeIdOf(new X509Certificate(cert).subjectAltName)
  if (id !== undefined && uuid.test(id)) return id
  throw new EnvError('FARM_TLS_CERT', 'a certificate of a node (farm certs node)', 'another')
}
