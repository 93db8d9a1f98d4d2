import { withLock } from './hold-lock.mjs'
import { InterruptedError, SetupError, say } from './shell.mjs'

/** Time between two lines about what still runs. */
const defaultBeatMs = 15_000
/** Time that the other steps have to tidy up after Ctrl-C. */
const tidyMs = 5_000

const seconds = (since) => Math.round((Date.now() - since) / 1000)

/**
 * Runs steps beside each other. A step is `{ name, how, install(note) }` and may have
 * - `key`, and `after`: keys of the steps that must have ended well before it begins;
 * - `lock` and `isNeeded()`: a file that one set-up at a time holds, and the question asked then.
 * `note` says what a step is at. Every `beatMs` a line tells what still runs, and for how long.
 * @throws the first error, after the steps that had begun
 */
export async function runSteps(steps, { beatMs = defaultBeatMs, tell = say } = {}) {
  const running = new Map()
  const started = Date.now()
  const beat = setInterval(() => {
    const lines = [...running].map(([{ name }, { began, text }]) =>
      [`${name} (${seconds(began)} s)`, text].filter(Boolean).join(': '),
    )
    if (lines.length > 0) tell(`  ... ${seconds(started)} s: ${lines.join('; ')}`)
  }, beatMs)
  const ends = new Map()
  const failures = []

  async function work(step) {
    const state = { began: Date.now(), text: '' }
    const note = (text) => {
      state.text = text
    }
    running.set(step, state)
    try {
      await locked(step, note, async () => {
        state.began = Date.now()
        // An optional step reports its own failure.
        if ((await step.install(note)) === false) return
        tell(`Installed ${step.name} (${seconds(state.began)} s)`)
      })
    } finally {
      running.delete(step)
    }
  }

  async function end(step) {
    const before = (step.after ?? []).map((key) => ends.get(key)).filter(Boolean)
    if ((await Promise.all(before)).includes('failed') || failures.length > 0) return 'failed'
    try {
      await work(step)
      return 'done'
    } catch (error) {
      failures.push(error)
      const isKnown = error instanceof SetupError && !(error instanceof InterruptedError)
      if (isKnown && running.size > 0) tell(`${error.message}\nFinishing the steps that had begun.`)
      return 'failed'
    }
  }

  for (const step of steps) ends.set(step.key ?? step, end(step))
  try {
    await Promise.race([Promise.all(ends.values()), interrupted(failures)])
  } finally {
    clearInterval(beat)
  }
  if (failures.length > 0)
    throw failures.find((error) => !(error instanceof SetupError)) ?? failures[0]
}

async function locked({ lock, isNeeded }, note, install) {
  if (lock === undefined) return await install()
  const onWait = () => note('another set-up is at it')
  await withLock(lock, async () => ((await isNeeded()) ? await install() : undefined), { onWait })
}

/** Resolves some time after the set-up was interrupted. A download may go on by then. */
function interrupted(failures) {
  return new Promise((resolve) => {
    const look = setInterval(() => {
      if (!failures.some((error) => error instanceof InterruptedError)) return
      clearInterval(look)
      setTimeout(resolve, tidyMs).unref()
    }, 100)
    look.unref()
  })
}
