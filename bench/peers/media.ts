import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeGreenScreen } from './keyed.ts'
import { makeClips } from './montage.ts'
import { makeKaraoke } from './reel.ts'

const run = promisify(execFile)
const examples = join(import.meta.dirname, '..', '..', 'examples', 'launch', 'media')

type Single = 'clip' | 'greenScreen' | 'karaoke' | 'logo' | 'music' | 'portrait'

/** Files of the workloads, by name. */
export type Media = Readonly<Record<Single, string>> & {
  readonly photos: readonly string[]
  /** Six clips of 1080p. */
  readonly clips: readonly string[]
}

/**
 * Returns photographs of the examples, and files that ffmpeg makes: seeded, so every run has the
 * same.
 */
export async function makeMedia(folder: string): Promise<Media> {
  const file = (name: string) => join(folder, name)
  const photos = ['dawn', 'dunes', 'night', 'rows', 'dawn'].map((name) =>
    join(examples, `${name}.jpg`),
  )
  const media = {
    ...{ photos, logo: join(examples, 'logo.png'), portrait: file('portrait.jpg') },
    ...{ music: file('music.m4a'), clip: file('clip.mp4') },
  }
  const make = (...args: string[]) => run('ffmpeg', ['-v', 'error', '-y', ...args])
  const sine = ['-f', 'lavfi', '-i', 'sine=330:sample_rate=48000:duration=40']
  await make(...sine, '-ac', '2', '-c:a', 'aac', '-b:a', '128k', media.music)
  const upright = 'scale=1080:1920:force_original_aspect_ratio=increase,crop=1080:1920'
  await make('-i', photos[0] ?? '', '-vf', upright, '-q:v', '2', media.portrait)
  await make(
    ...['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30:d=20', ...sine, '-t', '20'],
    ...['-vf', 'noise=alls=4:allf=t:all_seed=42', '-c:v', 'libx264', '-preset', 'veryfast'],
    ...['-crf', '22', '-pix_fmt', 'yuv420p', '-g', '60'],
    ...['-ac', '2', '-c:a', 'aac', '-b:a', '128k', media.clip],
  )
  return {
    ...{ ...media, clips: await makeClips(folder), greenScreen: await makeGreenScreen(folder) },
    karaoke: await makeKaraoke(folder),
  }
}
