/**
 * Loaded into the public suite before itself. It gives up on some answers after 0.5 to 1.5 s, which a
 * machine that paints films meanwhile may take. It gets five times as long; its verdicts stay.
 */

const factor = 5
const [shortestMs, longestMs] = [500, 1_500]

const original = globalThis.setTimeout
const patient = (run: () => void, ms = 0, ...rest: unknown[]) =>
  original(run, ms >= shortestMs && ms <= longestMs ? ms * factor : ms, ...(rest as []))

globalThis.setTimeout = Object.defineProperties(
  patient,
  Object.getOwnPropertyDescriptors(original),
) as typeof original
