import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { decodePicture } from '../../../worker/media/decode-picture.ts'
import type { Answer } from '../../../worker/media/decoder.ts'
import type { DecoderLimits } from '../../../worker/media/picture-decoders.ts'
import { pixelHeader } from '../../../worker/media/pixel-file.ts'
import type { Fence, Sandbox } from '../../../worker/process/sandbox.ts'
import { never, sandbox, workOf } from '../encode/film-of.ts'
import { decodersOf } from './picture-work.ts'

const photograph = join(import.meta.dirname, '../../../examples/launch/media/dawn.jpg')

/** Longer than any of these tests, so that only the tested time-out can end. */
const long = 300_000

/**
 * Decoders in a sandbox that counts its starts. `programs` are shell scripts that replace the first
 * decoders, like ones that a picture has taken over.
 */
async function placeOf(
  t: ExecutionContext,
  {
    programs = [],
    limits = {},
    ...more
  }: {
    programs?: string[]
    limits?: Partial<DecoderLimits>
    spares?: number
    atOnce?: number
  } = {},
) {
  const { dir } = await workOf(t)
  const fences: Fence[] = []
  const fence: Sandbox = {
    ...sandbox,
    commandLine(program, inside) {
      fences.push(inside)
      const script = programs.shift()
      return script === undefined ? sandbox.commandLine(program, inside) : ['sh', '-c', script]
    },
  }
  const patient = { timeoutMs: long, idleMs: long, refillMs: long, workMaxMs: long, ...limits }
  const decoders = await decodersOf(t, { dir, fence, ...more, limits: patient })
  let outputs = 0
  const decode = async (accountId: string, file: string = photograph, signal = never) => {
    outputs += 1
    const to = join(dir, `pixels-${outputs}`)
    return { ...(await decoders.decode({ file, to, accountId, signal })), to }
  }
  return { dir, decoders, decode, fences, starts: () => fences.length }
}

const trays = async (dir: string) => (await readdir(join(dir, 'decoders/trays'))).length

/** Processes of these decoders that still run. */
async function processesOf(dir: string): Promise<string[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = all.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
  return (await Promise.all(lines)).filter((line) => line.includes(`${dir}/decoders`))
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20)
}

const isDecoded = (answer: Answer) => !('error' in answer)

test.serial('a decoder gives the pixels that decoding gives', async (t) => {
  const { decode } = await placeOf(t)
  const { raw, ...facts } = await decodePicture(photograph)
  const { to, ...answer } = await decode('one')
  t.deepEqual(answer, facts)
  t.deepEqual(await readFile(to), Buffer.concat([pixelHeader(facts), raw]))
})

test.serial('a decoder goes on with its account’s pictures, never with another’s', async (t) => {
  const { decode, starts } = await placeOf(t)
  await decode('one')
  await decode('one')
  t.is(starts(), 1)
  await decode('two')
  t.is(starts(), 2)
  await decode('one')
  await decode('two')
  t.is(starts(), 2)
})

test.serial(
  'decoders beyond those that may decode at once go, longest waiting first',
  async (t) => {
    const { decode, starts, dir } = await placeOf(t, { atOnce: 2 })
    for (const account of ['one', 'two', 'three']) await decode(account)
    await until(async () => (await trays(dir)) === 2)
    await decode('two')
    await decode('three')
    t.is(starts(), 3)
    await decode('one')
    t.is(starts(), 4)
  },
)

test.serial('an account’s pictures wait for its decoders, not for another account’s', async (t) => {
  const { decode, starts } = await placeOf(t, { atOnce: 1, programs: ['exec sleep 300'] })
  const abort = new AbortController()
  const stuck = decode('one', photograph, abort.signal)
  const next = decode('one')
  t.true(isDecoded(await decode('two')))
  t.is(starts(), 2)
  abort.abort(new Error('cancelled by a test'))
  await t.throwsAsync(stuck, { message: 'cancelled by a test' })
  t.true(isDecoded(await next))
})

test.serial('a spare takes the first picture, and the next spare is started', async (t) => {
  const { decode, starts, dir } = await placeOf(t, { spares: 1, limits: { refillMs: 100 } })
  await until(async () => (await trays(dir)) === 1)
  t.is(starts(), 1)
  t.true(isDecoded(await decode('one')))
  await until(() => starts() === 2)
  t.true(isDecoded(await decode('two')))
  await until(() => starts() === 3)
})

test.serial('a spare that ended is replaced before any picture meets it', async (t) => {
  const options = { spares: 1, programs: ['exit 3'], limits: { refillMs: 100 } }
  const { decode, starts, dir } = await placeOf(t, options)
  await until(() => starts() === 2)
  t.true(isDecoded(await decode('one')))
  await until(async () => (await trays(dir)) === 2)
})

for (const [what, script, error] of [
  ['ends', 'exit 7', /^the decoder ended with 7/],
  ['is killed', 'kill -9 $$', /^the decoder ended with 137/],
  ['says nothing sensible', 'head -c 4 > /dev/null; echo nonsense; exec sleep 300', /no answer/],
  ['has no such size', 'head -c 4 > /dev/null; echo \'{"width":-1}\'; exec sleep 300', /no answer/],
  ['goes on and on', 'head -c 4 > /dev/null; while :; do printf x; done', /ended with 137/],
  ['answers twice', 'head -c 4 > /dev/null; printf "{}\\n{}\\n"; exec sleep 300', /ended with 137/],
] as const) {
  test.serial(`a decoder that ${what} fails its picture and no other`, async (t) => {
    const { decode, starts, dir } = await placeOf(t, { programs: [script] })
    const [failed, whole] = await Promise.all([decode('one'), decode('one')])
    t.regex('error' in failed ? failed.error : '', error)
    t.true(isDecoded(whole))
    t.true(isDecoded(await decode('one')))
    t.is(starts(), 2)
    await until(async () => (await trays(dir)) === 1)
  })
}

test.serial('a decoder taking too long is stopped, its picture refused for that', async (t) => {
  const { decode, dir } = await placeOf(t, {
    programs: ['exec sleep 300'],
    limits: { timeoutMs: 2_000 },
  })
  t.like(await decode('one'), { error: 'decoding took too long' })
  await until(async () => (await trays(dir)) === 0)
})

/** Answers its first picture, and dies at the next. */
const onlyOnce = `head -c 4 > /dev/null; echo '{"width":1,"height":1,"hasAlpha":false}'
  sleep 0.2; exec node -e 'process.stdin.once("data", () => setTimeout(() => process.exit(7), 200))'`

test.serial('a picture is refused by a decoder that had no other before', async (t) => {
  const { decode, starts } = await placeOf(t, { programs: [onlyOnce] })
  t.like(await decode('one'), { width: 1 })
  t.like(await decode('one'), { width: 1600 })
  t.is(starts(), 2)
})

test.serial('a damaged picture is refused; the next is decoded elsewhere', async (t) => {
  const { decode, starts, dir } = await placeOf(t)
  const file = join(dir, 'damaged')
  const webp = await sharp(photograph).resize(400).webp().toBuffer()
  await writeFile(file, webp.subarray(0, webp.length >> 1))
  t.true(isDecoded(await decode('one')))
  t.false(isDecoded(await decode('one', file)))
  t.is(starts(), 2)
  t.true(isDecoded(await decode('one')))
  t.is(starts(), 3)
})

test.serial('a decoder that writes without a request is ended', async (t) => {
  const options = { spares: 1, programs: ['echo hello; exec sleep 300'], limits: { refillMs: 100 } }
  const { dir, starts } = await placeOf(t, options)
  await until(() => starts() === 2)
  await until(async () => (await trays(dir)) === 1)
  t.pass()
})

test.serial('a decoder goes when its account had no picture for a while', async (t) => {
  const { decode, dir } = await placeOf(t, { limits: { idleMs: 100 } })
  await decode('one')
  await until(async () => (await trays(dir)) === 0)
  t.deepEqual(await processesOf(dir), [])
})

test.serial('after a hundred pictures nothing is left over', async (t) => {
  const small = await sharp({
    create: { width: 64, height: 64, channels: 3, background: '#123456' },
  })
    .png()
    .toBuffer()
  const { decode, starts, dir } = await placeOf(t, { limits: { picturesMax: 50 } })
  const file = join(dir, 'small.png')
  await writeFile(file, small)
  await decode('one', file)
  const openBefore = (await readdir('/proc/self/fd')).length
  for (let n = 1; n < 100; n += 1) t.true(isDecoded(await decode('one', file)))
  t.is(starts(), 2)
  await until(async () => (await trays(dir)) === 0)
  t.deepEqual(await processesOf(dir), [])
  t.true((await readdir('/proc/self/fd')).length <= openBefore)
})

test.serial('when the node stops, spares, kept ones and those at work end', async (t) => {
  const { decode, decoders, dir, starts } = await placeOf(t, { spares: 1 })
  await until(() => starts() === 1)
  await decode('one')
  const atWork = decode('two').catch((error: Error) => ({ error: error.message }))
  await until(() => starts() === 2)
  await decoders.close()
  t.false(isDecoded(await atWork))
  t.is(await trays(dir), 0)
  t.deepEqual(await processesOf(dir), [])
  await t.throwsAsync(decode('one'), { message: /The node ends/ })
})

const whenFull = sandbox.state.level === 'bwrap' ? test.serial : test.serial.skip

whenFull('a decoder writes no file but its tray, and sees nobody’s files', async (t) => {
  const { decode, fences, dir } = await placeOf(t)
  await decode('one')
  const [fence] = fences
  if (!fence) throw new Error('A decoder must have been started')
  t.deepEqual(fence.write, [])
  const script = `ls ${dir} ${dir}/decoders; echo no > ${dir}/decoders/code/no; cat ${photograph}`
  const looked = await sandbox.run({
    program: 'sh',
    args: ['-c', script],
    fence,
    timeoutMs: 10_000,
  })
  t.is(
    looked.stdout.replaceAll(`${dir}:`, '').replaceAll(`${dir}/decoders:`, '').trim(),
    'decoders\n\n\ncode',
  )
  t.regex(looked.stderrTail, /no: Read-only file system/)
  t.regex(looked.stderrTail, /dawn.jpg: No such file/)
})
