import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import { createLog } from '../../../runtime/log.ts'
import { type Baker, createBaker } from '../../../worker/bake/baker.ts'
import { codeLimits } from '../../../worker/bake/code/moving.ts'
import { createSandbox } from '../../../worker/process/sandbox.ts'
import { bakeOne, factsOf, never } from './baking.ts'
import { coded } from './coded.ts'

/**
 * Tests code that does not end, or asks for too much: each ends with an error, and with its
 * browser.
 */

let dataDir = ''
let systemTmp: string | undefined
let open: () => Baker
let fenced: () => Baker
let patient: () => Baker

test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farm-code-'))
  // Folder of the browser's own files, so that they can be counted.
  systemTmp = process.env.TMPDIR
  process.env.TMPDIR = dataDir
  const common = { log: createLog('test', 'silent'), dataDir }
  const sandbox = await createSandbox('auto')
  const quick = { ...codeLimits, secondsFirst: 5 }
  open = () => createBaker({ ...common, codeLimits: quick })
  fenced = () => createBaker({ ...common, codeLimits: quick, sandbox })
  const lenient = { ...codeLimits, secondsFirst: 60 }
  patient = () => createBaker({ ...common, codeLimits: lenient, sandbox })
})

test.after.always(async () => {
  if (systemTmp === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = systemTmp
  await rm(dataDir, { recursive: true, force: true })
})

const descendants = async (pid: number | string): Promise<string[]> => {
  const path = `/proc/${pid}/task/${pid}/children`
  const own = (await readFile(path, 'utf8').catch(() => '')).split(' ').filter(Boolean)
  return [...own, ...(await Promise.all(own.map(descendants))).flat()]
}

const isAlive = async (pid: string) => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return status !== '' && !/^State:\s+[ZX]/m.test(status)
}

/** Lists the leftovers of a bake: its processes, and every file that it wrote. */
async function leftovers(started: ReadonlySet<string>): Promise<string[]> {
  const alive = await Promise.all(
    [...started].map(async (pid) => ((await isAlive(pid)) ? [`process ${pid}`] : [])),
  )
  const files = await readdir(dataDir, { recursive: true }).catch((error: unknown) => {
    // It may vanish while it is listed.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [error.message]
    throw error
  })
  return [...alive.flat(), ...files.filter((name) => name !== 'browser')]
}

/**
 * Bakes and watches its processes. The baker's spare browser, which never ran code, ends with the
 * baker, so leftovers are the bake's.
 */
async function bakeWatched(baker: Baker, js: string) {
  const started = new Set<string>()
  const before = new Set(await descendants(process.pid))
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      for (const pid of await descendants(process.pid)) if (!before.has(pid)) started.add(pid)
      await delay(50)
    }
  })()
  const ended = await bakeOne(baker, coded({ js })).catch((error: unknown) => error)
  over.abort()
  await watching
  await baker.close()
  let left = await leftovers(started)
  // The system takes a moment to remove killed processes.
  for (let tries = 0; left.length > 0 && tries < 100; tries++) {
    await delay(100)
    left = await leftovers(started)
  }
  return { ended: ended as FarmError, started, left }
}

const endless = [
  'while (true) {}',
  'setTimeout(() => { while (true) {} }, 50)',
  'const again = () => void Promise.resolve().then(again); setTimeout(again, 50)',
  'requestAnimationFrame(() => { while (true) {} })',
  'addEventListener("load", () => { while (true) {} })',
  'let n = 0; requestAnimationFrame(function move() { document.querySelector(".word").textContent = n++; while (n > 2) {} requestAnimationFrame(move) })',
]

for (const js of endless) {
  for (const [where, bakerOf] of [
    ['inside a fence', () => fenced],
    ['without one', () => open],
  ] as const) {
    test.serial(`${js} is killed in its time ${where} and leaves nothing behind`, async (t) => {
      const { ended, started, left } = await bakeWatched(bakerOf()(), js)
      t.like(ended, { code: 'element_invalid', field: 'scenes[1].visuals[2].customCode' })
      t.regex(ended.message, /painted within animationDuration x 4 \+ 5 s, here 5\.8 s\./)
      t.true(started.size > 1, 'the browser was seen')
      t.deepEqual(left, [])
    })
  }
}

const greedy = [
  'const a = []; while (true) a.push(new Uint8Array(1e8).fill(1))',
  'const a = []; while (true) a.push({a: new Array(1e4).fill(1.5)})',
  'let a = "x"; while (true) a += a + Math.random()',
  'const a = []; while (true) { const c = document.createElement("canvas"); c.width = c.height = 4000; c.getContext("2d").fillRect(0, 0, 4000, 4000); a.push(c) }',
]

for (const js of greedy) {
  test.serial(`${js} is stopped`, async (t) => {
    const { ended, left } = await bakeWatched(patient(), js)
    t.log(ended.message)
    t.is(ended.code, 'element_invalid')
    t.regex(ended.field ?? '', /^scenes\[1\]\.visuals\[2\]\.customCode/)
    t.regex(ended.message, /at most 1024 MB of memory|allocation failed|Invalid string length/)
    t.deepEqual(left, [])
  })
}

const faulty = [
  ['(', /customCode\.js must run\. Got SyntaxError: .* in line 1\./],
  ['\nthrow new Error("mine")', /Got Error: mine in line 2\./],
] as const

for (const [js, message] of faulty) {
  test.serial(`${JSON.stringify(js)} is reported with its line`, async (t) => {
    const { ended, left } = await bakeWatched(patient(), js)
    t.like(ended, { code: 'element_invalid', field: 'scenes[1].visuals[2].customCode.js' })
    t.regex(ended.message, message)
    t.deepEqual(left, [])
  })
}

test.serial('a bake that is called off ends, whatever its code is doing', async (t) => {
  const stop = new AbortController()
  const js = 'setTimeout(() => { while (true) {} }, 50)'
  const baker = patient()
  const baking = baker.bake([coded({ js })], stop.signal)
  await delay(3_000)
  stop.abort()
  await t.throwsAsync(baking, { code: 'cancelled' })
  t.true((await baker.bake([coded({})], never)).length === 1)
  await baker.close()
})

test.serial('a spare browser serves one bake, and ends with the baker', async (t) => {
  const baker = patient()
  t.teardown(() => baker.close())
  const css = '@keyframes to { to { opacity: 0 } } .word { animation: to 0.2s linear }'
  const before = new Set(await descendants(process.pid))
  const started = async () => {
    // The next one starts some seconds after the last one's element.
    for (;;) {
      const pids = (await descendants(process.pid)).filter((pid) => !before.has(pid))
      if (pids.length > 0) return pids
      await delay(100)
    }
  }
  const gone = async (pids: readonly string[]) => {
    // The system takes a moment to remove killed processes.
    for (let tries = 0; tries < 100; tries++) {
      if (!(await Promise.all(pids.map(isAlive))).some(Boolean)) return true
      await delay(100)
    }
    return false
  }
  const first = await bakeOne(baker, coded({ css }))
  const spare = await started()
  t.deepEqual(factsOf(await bakeOne(baker, coded({ css }))), factsOf(first))
  t.true(await gone(spare), 'it served and ended')
  const next = await started()
  await baker.close()
  t.true(await gone(next), 'the next one ended with the baker')
})
