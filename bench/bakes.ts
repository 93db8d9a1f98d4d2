import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BakeDocument } from '../core/queue/tasks.ts'
import { createLog } from '../runtime/log.ts'
import { createBaker } from '../worker/bake/baker.ts'
import { createSandbox } from '../worker/process/sandbox.ts'
import { secondsOf, showSpread, showTable, spreadOf } from './statistics.ts'

const never = new AbortController().signal
const film = { width: 1280, height: 720 }
const together = 20
const moved = { seconds: 2, frameRate: 30 }
/**
 * Some seconds after a node has painted an animation, its next browser is ready (own-stages.ts).
 */
const readyMs = 8_000

/**
 * Measures milliseconds of Chromium's painting: elements of a film in one warm page, and frames of
 * an animation. The latter on a node that has painted one before, and right after another one, when
 * its browser is not ready.
 */
export async function benchBakes(repeats: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'farm-bench-bakes-'))
  const sandbox = await createSandbox('auto')
  const baker = createBaker({ log: createLog('bench', 'silent'), dataDir, sandbox })
  const spent = new Map<string, number[]>()
  const measure = async (
    name: string,
    documents: BakeDocument[],
    { parts, accountId }: { parts: number; accountId?: string },
  ) => {
    const seconds = await secondsOf(() => baker.bake(documents, never, accountId))
    spent.set(name, [...(spent.get(name) ?? []), (seconds * 1000) / parts])
  }
  const frames = moved.seconds * moved.frameRate
  try {
    await baker.bake([card(0)], never, 'one')
    await baker.bake([moving(0)], never)
    for (let turn = 1; turn <= repeats; turn += 1) {
      const first = turn * 1_000
      const cards = Array.from({ length: together }, (_, i) => card(first + i))
      const warm = { accountId: 'one' }
      await measure(`an element, ${together} in a film`, cards, { parts: together, ...warm })
      const one = [card(first + together)]
      await measure('an element alone, its account’s page open', one, { parts: 1, ...warm })
      const alone = [card(first + together + 1)]
      await measure('an element alone in a new page', alone, { parts: 1 })
      await delay(readyMs)
      await measure(`a frame of ${frames} that move`, [moving(first)], { parts: frames })
      const next = [moving(first + 1)]
      await measure('the same, starting its browser counted', next, { parts: frames })
    }
  } finally {
    await baker.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  const rows = [...spent].map(([name, ms]) => [name, showSpread(spreadOf(ms))])
  process.stdout.write(
    `\nBakes in a warm Chromium, ms: median (min .. max) of ${repeats}\n${showTable(['', 'ms'], rows)}\n`,
  )
}

/** Returns a card that differs from all others, as in a film. */
function card(number: number): BakeDocument {
  return {
    ...{ kind: 'html', canvas: film, field: 'visuals[0]' },
    markup: `<div style="font:700 48px 'DejaVu Sans'">Guest number ${number}</div><p>is invited</p>`,
    style: { color: '#204060', padding: '12px', borderRadius: '8px', background: '#e0f0ff' },
  }
}

function moving(number: number): BakeDocument {
  const { seconds, frameRate } = moved
  const place = { ...{ x: 200, y: 200, position: 'custom' as const, anchor: 'top-left' as const } }
  return {
    ...card(number),
    code: {
      ...{ js: '', duration: seconds, until: seconds, frameRate },
      css: `@keyframes in { from { transform: translateX(${number % 97}px) scale(0.5) } } div { animation: in 2s linear }`,
      place: { ...place, angle: 0, flipH: false, flipV: false },
    },
  }
}
