import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { FarmError } from '../../../core/errors.ts'
import { browserPid, findChromium, flags } from '../browser.ts'

/**
 * Frames are made one by one, when they are asked for, and nothing moves on a thread of its own;
 * scripts have little memory.
 */
const codeFlags = [
  '--enable-begin-frame-control',
  '--run-all-compositor-stages-before-draw',
  '--disable-new-content-rendering-timeout',
  '--disable-threaded-animation',
  '--disable-threaded-scrolling',
  '--disable-checker-imaging',
  '--disable-image-animation-resync',
  '--js-flags=--max-old-space-size=512',
]

const launchLimitMs = 30_000
/** Of one process, private writable memory: what grows faster than it is watched stops here. */
const dataLimitKb = 2_097_152

/** A browser for one element, which ends with it. */
export type OwnBrowser = {
  readonly browser: Browser
  /** Of its first process. */
  readonly pid: number
  /** Ends every process of it at once. */
  kill: () => Promise<void>
}

/** `isFenced`: bwrap works here, so it gets a network of its own that leads nowhere. */
export async function openOwnBrowser({
  dataDir,
  isFenced,
}: {
  dataDir: string
  isFenced: boolean
}): Promise<OwnBrowser> {
  const program = await findChromium()
  if (!program) {
    throw new FarmError('internal', 'Baking needs Chromium on PATH or in FARM_CHROMIUM. Got none')
  }
  const home = resolve(dataDir, 'browser')
  await mkdir(home, { recursive: true })
  const script = join(home, `own-${randomUUID()}`)
  await writeFile(script, launchScript({ program, home, isFenced }), { mode: 0o700 })
  const removeScript = () => Promise.all([rm(script), rm(`${script}.pid`, { force: true })])
  const options = {
    executablePath: script,
    args: [...flags, ...codeFlags],
    env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' },
    chromiumSandbox: false,
    timeout: launchLimitMs,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  }
  try {
    const browser = await chromium.launch(options)
    const pid = Number(await readFile(`${script}.pid`, 'utf8'))
    // bwrap takes everything in it along; where there is none, a wrapper would leave the browser alone.
    const victim = isFenced ? pid : await browserPid(browser)
    const gone = new Promise((done) => browser.once('disconnected', done))
    return {
      browser,
      pid,
      async kill() {
        if (!browser.isConnected()) return
        process.kill(victim, 'SIGKILL')
        await gone
      },
    }
  } finally {
    await removeScript()
  }
}

/** The shell becomes the browser, or bwrap, whose end is that of everything in it. */
function launchScript({
  program,
  home,
  isFenced,
}: {
  program: string
  home: string
  isFenced: boolean
}): string {
  const fence = isFenced
    ? [
        ...['bwrap', '--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent'],
        ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
        ...[tmpdir(), home].flatMap((path) => ['--bind', quoted(path), quoted(path)]),
        '--',
      ]
    : []
  return [
    '#!/bin/sh',
    'echo $$ > "$0.pid"',
    `ulimit -d ${dataLimitKb} 2>/dev/null`,
    `exec ${[...fence, quoted(program)].join(' ')} "$@"`,
    '',
  ].join('\n')
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
