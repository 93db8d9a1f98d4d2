import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { createFarmClient, type RenderPayload } from '../../client/farm-client.ts'
import { startFarm } from '../farm/running-farm.ts'

/** Tests the client on a whole farm that renders. */

const run = promisify(execFile)
const root = new URL('../../', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
const running = await startFarm()
test.after.always(async () => {
  await running.stop()
  rmSync(folder, { recursive: true, force: true })
})
const farm = createFarmClient(running)

test.serial('a film is submitted, followed to its end and fetched', async (t) => {
  const payload: RenderPayload = {
    ...{ width: 320, height: 180 },
    scenes: ['one', 'two', 'three', 'four'].map((text) => ({
      duration: 2,
      visuals: [{ type: 'TEXT', text, enterEnd: 2, enterAnimation: 'slideleft' }],
    })),
  }
  const { jobId } = await farm.submit({ payload })
  const states = new Set<string>()
  const progress: number[] = []
  const job = await farm.wait(jobId, {
    onProgress(now) {
      states.add(now.state)
      progress.push(now.progress)
    },
  })
  t.is(job.state, 'completed', `${job.failedReason}`)
  t.is(job.result?.duration, 8)
  t.true(states.has('rendering'), `${[...states]}`)
  t.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  )
  const file = await (await fetch(job.url ?? '')).arrayBuffer()
  t.is(job.result?.size, file.byteLength)
})

test.serial('the program of docs/client.md runs unchanged', async (t) => {
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8')
  const [, program] = /```ts\n(.*?)```/s.exec(page) ?? []
  writeFileSync(join(folder, 'program.ts'), program ?? '')
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'render-farm'))
  const env = { ...process.env, FARM_URL: running.url, FARM_API_KEY: running.apiKey }
  const { stdout, stderr } = await run(process.execPath, ['program.ts'], { cwd: folder, env })
  t.is(stderr, '')
  t.regex(stdout, /^completed 100 %\nhttp:/m)
  t.regex(stdout, /^Bob completed http:.*\nCleo completed http:/m)
})
