import { execFile } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, chromium } from 'playwright-core'
import { freePorts } from '../../infra/local/ports.ts'
import { findChromium } from '../../worker/bake/browser.ts'

/** A Chromium whose pages Lighthouse can measure, too, signed in as they are. */
export type Chrome = {
  readonly context: BrowserContext
  /** Measures a page as Lighthouse's mobile form does. */
  lighthouse(url: string): Promise<Verdict>
  close(): Promise<void>
}

/** Scores from 0 to 100, times in ms. */
export type Verdict = {
  readonly performance: number
  readonly accessibility: number
  readonly bestPractices: number
  readonly lcp: number
  readonly tbt: number
  readonly cls: number
  /** Lighthouse's own measure of the machine's speed. */
  readonly benchmarkIndex: number
}

type Report = {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
  readonly audits: Readonly<Record<string, { readonly numericValue?: number }>>
  readonly environment: { readonly benchmarkIndex: number }
}

export async function openChrome(): Promise<Chrome> {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('the measurement needs Chromium')
  const [port = 0] = await freePorts(1)
  const args = [
    ...['--no-sandbox', `--remote-debugging-port=${port}`],
    '--autoplay-policy=no-user-gesture-required',
  ]
  const started = await chromium.launch({ executablePath, args })
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
  const context = browser.contexts()[0] ?? (await browser.newContext())
  const folder = await mkdtemp(join(tmpdir(), 'farm-lighthouse-'))
  return {
    context,
    lighthouse: async (url) => {
      const file = join(folder, 'report.json')
      await promisify(execFile)(
        'npx',
        [
          ...['--yes', 'lighthouse@13.5.0', url, '--quiet', '--disable-storage-reset'],
          ...[`--port=${port}`, '--output=json', `--output-path=${file}`],
          '--only-categories=performance,accessibility,best-practices',
        ],
        { env: { ...process.env, CHROME_PATH: executablePath } },
      )
      return verdictOf(JSON.parse(await readFile(file, 'utf8')) as Report)
    },
    close: async () => {
      await browser.close()
      await started.close()
    },
  }
}

function verdictOf({ categories, audits, environment }: Report): Verdict {
  // A score that Lighthouse could not give is none, and no 0.
  const score = (name: string) => Math.round((categories[name]?.score ?? Number.NaN) * 100)
  const value = (name: string) => audits[name]?.numericValue ?? Number.NaN
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    lcp: value('largest-contentful-paint'),
    tbt: value('total-blocking-time'),
    cls: value('cumulative-layout-shift'),
    benchmarkIndex: environment.benchmarkIndex,
  }
}
