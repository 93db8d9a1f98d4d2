import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'
import { FarmError } from '../../../core/errors.ts'
import { findChromium, flags } from '../browser.ts'

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
/** Killed processes are gone in milliseconds; nobody waits longer for one that the system holds. */
const goneLimitMs = 5_000
/** Of one process, private writable memory: what grows faster than it is watched stops here. */
const dataLimitKb = 2_097_152

/** A browser for one element, which ends with it. */
export type OwnBrowser = {
  readonly browser: Browser
  /** Of its first process, which leads their group. */
  readonly pid: number
  /** Ends every process of it at once, whatever they are doing. Always resolves, within seconds. */
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
    return { browser, pid, kill: () => endGroup(browser, pid) }
  } finally {
    await removeScript()
  }
}

/**
 * Nothing is asked of the browser: it may be doing what it was told to by a stranger. Playwright starts
 * it as the leader of a group of processes, and bwrap takes everything in it along.
 */
async function endGroup(browser: Browser, pid: number): Promise<void> {
  const gone = browser.isConnected()
    ? new Promise<void>((done) => browser.once('disconnected', () => done()))
    : undefined
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // All of them ended by themselves.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  const waited = new AbortController()
  const { signal } = waited
  await Promise.race([gone, delay(goneLimitMs, undefined, { signal })])
  waited.abort()
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
