import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { filmOf, mediaFiles } from '../farm/film.ts'

const run = promisify(execFile)

/** A project of the customers: equal names mean equal pictures. */
export type Project = {
  readonly name: string
  readonly payload: object
  readonly variables?: Readonly<Record<string, unknown>>
}

/** Media of `projectsOf`: a photograph, a tone, and two seconds of a clip with sound. */
export async function chaosMedia(folder: string): Promise<Record<string, Buffer>> {
  const file = join(folder, 'clip.mp4')
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2']
  const sound = ['-f', 'lavfi', '-i', 'sine=330:r=48000:d=2']
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', '-y', ...inputs, ...sound, ...codecs, file])
  return { ...(await mediaFiles()), 'clip.mp4': await readFile(file) }
}

const cards = [1, 2, 3]
const text = (html: string, more: object = {}) => ({ type: 'TEXT', html, ...more })

/** Small films and stills with photographs, text, vectors, clips, captions and sound. */
export function projectsOf(at: (name: string) => string): readonly Project[] {
  const photo = { type: 'IMAGE', src: at('photo.png'), resize: 'cover' }
  const size = { width: 320, height: 180, frameRate: 25 }
  return [
    { name: 'cuts', payload: filmOf(at, 'cuts') },
    {
      name: 'words',
      payload: {
        ...{ ...size, name: 'words', duration: 3, backgroundColor: '#182028' },
        visuals: [
          text('<b style="color:#fff">Moving</b>', { enterEnd: 3, enterAnimation: 'fade' }),
        ],
        subtitle: { captions: [{ start: 0.2, end: 2.5, text: 'Words that are spoken' }] },
      },
    },
    {
      name: 'clip',
      payload: {
        ...{ ...size, name: 'clip', duration: 2 },
        visuals: [
          { type: 'VIDEO', src: at('clip.mp4'), resize: 'cover' },
          { ...photo, width: 80, height: 60, position: 'bottom-right', track: 2 },
        ],
        audios: [{ src: at('sound.wav'), volume: 0.5, matchDuration: true }],
      },
    },
    {
      name: 'long',
      payload: {
        ...{ width: 640, height: 360, frameRate: 25, name: 'long' },
        scenes: [1, 2, 3, 4].map((n) => ({
          id: `s${n}`,
          duration: 3,
          visuals: [{ ...photo, zoom: { depth: 1 + n / 8 } }, text(`<i>Scene ${n}</i>`)],
        })),
      },
    },
    {
      name: 'still',
      payload: {
        ...{ type: 'image', width: 480, height: 270, name: 'still' },
        visuals: [photo, text('<b>A still</b>', { position: 'center-center' })],
      },
    },
    ...cards.map((n) => ({ name: `card ${n}`, payload: cardOf(photo), variables: { n } })),
  ]
}

/** A project for bulks whose items differ in the variable `n`. */
function cardOf(photo: object): object {
  return {
    ...{ type: 'image', width: 200, height: 120, name: 'card', outputFormat: 'webp' },
    visuals: [photo, text('<b style="color:#fff">Card {{ n }}</b>', { position: 'top-left' })],
  }
}

export function isCard({ variables }: Project): boolean {
  return variables !== undefined
}
