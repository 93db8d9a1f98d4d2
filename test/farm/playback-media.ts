import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startMediaServer } from '../../cli/render/media-server.ts'

const run = promisify(execFile)

/** Serves music for films that are played. */
export async function mediaHostOf() {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const music = join(folder, 'music.m4a')
  const tone = ['-f', 'lavfi', '-i', 'sine=330:sample_rate=48000:duration=20']
  await run('ffmpeg', ['-v', 'error', ...tone, '-ac', '2', '-c:a', 'aac', music])
  const server = await startMediaServer()
  return {
    host: server.host,
    music: server.offer(music),
    async close() {
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
