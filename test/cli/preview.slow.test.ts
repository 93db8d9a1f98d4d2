import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import test from 'ava'
import sharp from 'sharp'
import { leftAfterAWhile } from '../infra/living.ts'
import { farm, newFolder } from './run-farm.ts'

const folder = newFolder()
const data = join(folder, 'data')
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const red = createCanvas(64, 64)
red.getContext('2d').fillStyle = '#c00000'
red.getContext('2d').fillRect(0, 0, 64, 64)
writeFileSync(join(folder, 'red.png'), red.toBuffer('image/png'))

const film = {
  width: 640,
  height: 360,
  duration: 2,
  visuals: [{ type: 'IMAGE', src: 'red.png', width: 640, height: 360 }],
}
writeFileSync(join(folder, 'film.json'), JSON.stringify(film))
/** The webhook and the id are for the job of a render, which a preview is not. */
const request = {
  payload: film,
  webhookUrl: 'https://example.com/hook',
  jobId: '00000000-0000-4000-8000-000000000000',
}
writeFileSync(join(folder, 'request.json'), JSON.stringify(request))

test.serial('a film with a local picture is previewed by its own farm', async (t) => {
  const args = [
    'preview',
    'request.json',
    '-o',
    'new/',
    '--times',
    '0.5, 2',
    '--width',
    '160',
    '--data',
    data,
  ]
  const { code, out, err } = await farm(args, { cwd: folder })
  t.is(code, 0, err)
  t.regex(
    out,
    /^new\/request\.jpg\n {2}\d+x\d+, \d+ kB, 2 frames, at 0\.5, 2 s\n {2}painted in [\d.]+ s$/m,
  )
  const sheet = sharp(readFileSync(join(folder, 'new', 'request.jpg')))
  t.like(await sheet.metadata(), { format: 'jpeg', width: 332 })
  t.deepEqual(await leftAfterAWhile(data), [])
})

test.serial('a faulty film and a late time are refused, with nothing written', async (t) => {
  const late = await farm(['preview', 'film.json', '--times', '3', '--data', data], {
    cwd: folder,
  })
  t.is(late.code, 1)
  t.regex(late.err, /times\[0\] must be within the film, which is 2 s long\. Got 3/)
  t.false(existsSync(join(folder, 'film.jpg')))
})

for (const [what, args, message] of [
  ['another format', ['-o', 'sheet.png'], /--output must end in \.jpg or \.jpeg/],
  ['thirteen times', ['--times', Array(13).fill('1').join(',')], /at most 12 times/],
  ['a time in words', ['--times', '1,soon'], /at most 12 times/],
  ['a full-size frame', ['--width', '481'], /--width/],
] as const) {
  test.serial(`${what} is refused before anything starts`, async (t) => {
    const { code, err } = await farm(['preview', 'film.json', ...args], { cwd: folder })
    t.is(code, 2, err)
    t.regex(err, message)
  })
}
