import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { child, trackOf } from '../../runtime/mp4/boxes.ts'
import { hiddenTicks } from '../../runtime/mp4/fragments.ts'

const run = promisify(execFile)

/** Fetches a film as a player does, and decodes it. */

const giveUpMs = 120_000

/** Fetches one file of a film; asks again while it is not rendered. */
export async function fetchPart(playlistUrl: string, name: string): Promise<Buffer> {
  const address = new URL(name, playlistUrl)
  for (const until = Date.now() + giveUpMs; ; ) {
    const reply = await fetch(address)
    if (reply.status === 200) return Buffer.from(await reply.arrayBuffer())
    const answer = await reply.text()
    if (reply.status !== 503 || Date.now() > until) throw new Error(`${reply.status} ${answer}`)
    await sleep(Number(reply.headers.get('retry-after')) * 1000)
  }
}

/** Names of a track's beginning and pieces, in order; none where the film has no such track. */
export async function partsOf(playlistUrl: string, track: string): Promise<readonly string[]> {
  const film = String(await fetchPart(playlistUrl, 'film.m3u8'))
  if (!film.includes(`${track}.m3u8`)) return []
  const playlist = String(await fetchPart(playlistUrl, `${track}.m3u8`))
  const pieces = playlist.split('\n').filter((line) => line.endsWith('.m4s'))
  return [`${track}-init.mp4`, ...pieces]
}

/** Fetches a whole track. */
export async function fetchTrack(playlistUrl: string, track: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const name of await partsOf(playlistUrl, track)) {
    parts.push(await fetchPart(playlistUrl, name))
  }
  return Buffer.concat(parts)
}

async function decoded(bytes: Buffer, args: readonly string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  try {
    const file = join(folder, 'film.mp4')
    await writeFile(file, bytes)
    const all = ['-v', 'error', '-i', file, ...args, '-']
    const { stdout } = await run('ffmpeg', all, { maxBuffer: 2 ** 29, encoding: 'buffer' })
    return stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns a hash of each decoded frame. */
export async function framesOf(film: Buffer): Promise<readonly string[]> {
  const listed = await decoded(film, ['-map', '0:v', '-vsync', 'passthrough', '-f', 'framemd5'])
  return String(listed)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)?.trim() ?? '')
}

/** Returns the decoded samples: 16 bits, two channels. */
export async function samplesOf(film: Buffer): Promise<Buffer> {
  return await decoded(film, ['-map', '0:a', '-f', 's16le', '-ac', '2'])
}

const sampleBytes = 4

/** True where the track, played, sounds as the file from its beginning to its end. */
export async function soundsAlike(track: Buffer, file: Buffer): Promise<boolean> {
  const [played, sound] = await Promise.all([samplesOf(track), samplesOf(file)])
  const hidden = hiddenTicks(trackOf(child(file, 'moov'), 'soun')) * sampleBytes
  return sound.length > 0 && played.subarray(hidden, hidden + sound.length).equals(sound)
}
