import { execFile } from 'node:child_process'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FarmClient } from '../client/farm-client.ts'

const run = promisify(execFile)

/** Uploads a tone of its own pitch, so that no sound encoded before serves it. Returns its address. */
export async function uploadTone(
  client: FarmClient,
  { hertz, seconds }: { hertz: number; seconds: number },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  try {
    const file = join(folder, 'tone.m4a')
    const source = `sine=${hertz}:sample_rate=48000:duration=${seconds}`
    await run('ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      source,
      '-ac',
      '2',
      '-c:a',
      'aac',
      file,
    ])
    return (await client.uploads.create(await openAsBlob(file))).url
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
