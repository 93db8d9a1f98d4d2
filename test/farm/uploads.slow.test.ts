import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { farm as command } from '../cli/run-farm.ts'
import { type Farm, startFarm } from './running-farm.ts'

let farm: Farm
let folder: string

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  farm = await startFarm()
})
test.after.always(async () => {
  await farm?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a picture that the command uploads is seen in a still', async (t) => {
  const file = join(folder, 'red.bin')
  const background = { r: 200, g: 30, b: 40 }
  const made = sharp({ create: { width: 64, height: 64, channels: 3, background } })
  await writeFile(file, await made.png().toBuffer())
  const env = { FARM_URL: farm.url, FARM_API_KEY: farm.apiKey }
  const uploaded = await command(['upload', file], { env })
  t.is(uploaded.code, 0, uploaded.err)
  const still = {
    ...{ type: 'image', width: 64, height: 64, outputFormat: 'png' },
    visuals: [{ type: 'IMAGE', src: uploaded.out.trim(), width: 64, height: 64 }],
  }
  const { file: painted } = await farm.render(still)
  const { data } = await sharp(painted).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  t.deepEqual([...data.subarray(0, 3)], [background.r, background.g, background.b])
  const refused = await command(['upload', join(folder, 'missing.png')], { env })
  t.is(refused.code, 1)
  t.regex(refused.err, /missing\.png must be a file that can be read/)
  await writeFile(join(folder, 'page.png'), '<!doctype html>')
  const page = await command(['upload', join(folder, 'page.png')], { env })
  t.is(page.code, 1)
  t.regex(page.err, /page\.png: .*Got a file of another kind/)
})
