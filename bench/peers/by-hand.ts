import { rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Contest, ffmpeg, outputFile, type Peer } from './contest.ts'
import { makeMedia } from './media.ts'
import type { Workload } from './workload.ts'
import { workloads } from './workloads.ts'

const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-pix_fmt', 'yuv420p']
/** Concurrent ffmpeg processes for many outputs: one per core. */
const lanes = cpus().length

/**
 * Returns the farm's own workloads, compared with ffmpeg by hand and the encoder alone. `folder`:
 * for media.
 */
export async function contestsByHand(folder: string): Promise<readonly Contest[]> {
  return workloads(await makeMedia(folder)).map((workload) => ({
    ...workload,
    peers: [
      { name: 'ffmpeg by hand', run: (into) => byHand(workload, into) },
      ...(workload.graphs.length === 1 ? [encoderAlone(workload, folder)] : []),
    ],
  }))
}

async function byHand(workload: Workload, into: string): Promise<void> {
  const waiting = workload.graphs.map((graph, i) => [...graph, outputFile(into, i, workload)])
  const format = workload.isStill ? ['-c:v', 'png'] : encoder
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await ffmpeg([...next.slice(0, -1), ...format, ...next.slice(-1)])
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Encodes from existing raw frames. */
function encoderAlone({ size, graphs, isStill }: Workload, folder: string): Peer {
  const raw = join(folder, 'raw.yuv')
  const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', size.join('x'), '-r', '30']
  return {
    name: 'encoder alone',
    prepare: () =>
      ffmpeg([...(graphs[0] ?? []), '-an', '-pix_fmt', 'yuv420p', '-f', 'rawvideo', raw]),
    run: (into) => ffmpeg([...input, '-i', raw, ...encoder, outputFile(into, 0, { isStill })]),
    tidy: () => rm(raw),
  }
}
