import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCanvas } from '@napi-rs/canvas'
import test from 'ava'
import sharp from 'sharp'
import { type Farm, serveMedia, startFarm } from './running-farm.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
const files: Record<string, Buffer> = {}
let media: Awaited<ReturnType<typeof serveMedia>>
let farm: Farm

test.before(async () => {
  files['logo.png'] = logo('#dc1e1e')
  for (const [i, color] of ['#1428c8', '#14a028', '#c8a014'].entries()) {
    files[`face-${i}.png`] = logo(color)
  }
  media = await serveMedia(files)
  farm = await startFarm({ env: { FARM_TRUSTED_HOSTS: media.hosts, FARM_SLOTS: '2' } })
})
test.after.always(async () => {
  await farm?.stop()
  media?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A disc of 80 px on a clear ground. */
function logo(color: string): Buffer {
  const canvas = createCanvas(80, 80)
  const context = canvas.getContext('2d')
  context.fillStyle = color
  context.arc(40, 40, 40, 0, 2 * Math.PI)
  context.fill()
  return canvas.toBuffer('image/png')
}

/** The frame at a second of a film, as a function of its pixels. */
async function frameAt(film: Buffer, second: number) {
  const file = join(folder, 'film.mp4')
  const png = join(folder, `frame-${second}.png`)
  await writeFile(file, film)
  const at = ['-ss', String(second), '-i', file, '-frames:v', '1', '-y', png]
  await run('ffmpeg', ['-v', 'error', ...at])
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return (x: number, y: number) => {
    const start = (y * info.width + x) * 3
    return [...data.subarray(start, start + 3)]
  }
}

const isNear = (seen: number[], wanted: number[]) =>
  seen.every((value, i) => Math.abs(value - (wanted[i] ?? 0)) < 24)

const card = (src: string) =>
  `<div style="display:flex;align-items:center;gap:20px;padding:20px;background:#fff;color:#101828;font-family:Inter;font-size:40px"><img src="${src}"><span>Our house</span></div>`

test.serial('a film shows the current pictures that its html names by URL', async (t) => {
  const visuals = [{ type: 'TEXT', html: card('{{ host }}/logo.png'), x: 40, y: 40 }]
  const film = { width: 640, height: 360, duration: 1, backgroundColor: '#101828', visuals }
  const variables = { host: `http://${media.hosts}` }
  const first = await farm.render(film, variables)
  const frame = await frameAt(first.file, 0.5)
  t.true(isNear(frame(100, 100), [220, 30, 30]), `the middle of the logo: ${frame(100, 100)}`)
  t.true(isNear(frame(62, 62), [255, 255, 255]), 'beside the disc is the card')
  t.true(isNear(frame(20, 20), [16, 24, 40]), 'beside the card is the film')

  // The same picture under another URL is neither painted nor rendered again.
  const asked = media.hits.length
  files['copy.png'] = files['logo.png'] ?? Buffer.alloc(0)
  const copied = { ...film, visuals: [{ ...visuals[0], html: card('{{ host }}/copy.png') }] }
  const second = await farm.render(copied, variables)
  t.is(second.job.frames.reused, second.job.frames.total)
  t.true(second.file.equals(first.file))
  t.deepEqual(media.hits.slice(asked), ['copy.png'])

  files['logo.png'] = logo('#1428c8')
  const third = await farm.render(film, variables)
  t.true(isNear((await frameAt(third.file, 0.5))(100, 100), [20, 40, 200]))
})

test.serial(
  'scenes that are iterated over, and custom code, have their own pictures',
  async (t) => {
    const people = [0, 1, 2].map((i) => ({ face: media.at(`face-${i}.png`) }))
    const customCode = {
      css: 'img { position: relative; animation: go 1s linear both } @keyframes go { from { left: 0 } to { left: 200px } }',
      animationDuration: 1,
    }
    const html = '<img src="{{ item.face }}">'
    const { file } = await farm.render(
      {
        ...{ width: 640, height: 360, frameRate: 10, backgroundColor: '#ffffff' },
        scenes: [
          {
            ...{ id: 'person', duration: 2, iterate: 'people', transitionDuration: 0 },
            visuals: [
              { type: 'TEXT', html, x: 40, y: 40 },
              { type: 'TEXT', html, x: 40, y: 200, customCode },
            ],
          },
        ],
      },
      { people },
    )
    const colors = [
      [20, 40, 200],
      [20, 160, 40],
      [200, 160, 20],
    ]
    for (const [i, color] of colors.entries()) {
      const frame = await frameAt(file, 2 * i + 1.75)
      t.true(isNear(frame(80, 80), color), `${i}: ${frame(80, 80)}`)
      t.true(isNear(frame(280, 240), color), `${i} has gone to the right: ${frame(280, 240)}`)
      t.true(isNear(frame(80, 240), [255, 255, 255]), `${i} has left its place`)
    }
  },
)

test.serial('a missing picture fails the job, with its field and its URL', async (t) => {
  const visuals = [{ type: 'TEXT', html: `<p>Hello</p><img src="${media.at('gone.png')}">` }]
  const job = await farm.finished(
    await farm.submit({ width: 320, height: 180, duration: 1, visuals }),
  )
  t.is(job.state, 'failed')
  t.is(job.error?.code, 'media_unreachable')
  t.deepEqual(
    job.error?.details.map(({ field }) => field),
    ['visuals[0].html'],
  )
  t.true(job.error?.message.includes(media.at('gone.png')), job.error?.message)
  t.is(job.creditsCharged, 0)
})
