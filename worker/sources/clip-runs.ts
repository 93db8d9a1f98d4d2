/** Use of a clip: frame `at` of the film shows `frame` of the clip. */
export type ClipUse = { readonly at: number; readonly frame: number }

export type ClipRun = {
  /** Frames of the clip that one decoder yields, ascending, each once. */
  readonly frames: readonly number[]
  /** Last frame of the film that shows each. */
  readonly lastUses: ReadonlyMap<number, number>
  /** Key `<at> <frame>` of every use that the run serves. */
  readonly uses: ReadonlySet<string>
}

/** Limit for decoded frames of a clip that are cached until they are shown again. */
const cachedMaxBytes = 96 * 2 ** 20

/**
 * Returns the decoder runs that a clip's uses need, in the order of the film. A decoder only goes
 * forward. A clip that restarts (a GIF's loop, the same clip twice) needs another one each time.
 * Short clips, all of whose shown frames fit into the cache, need only one.
 */
export function runsOf(
  uses: readonly ClipUse[],
  [width, height]: readonly [number, number],
): ClipRun[] {
  const distinct = new Set(uses.map(({ frame }) => frame))
  if (distinct.size * width * height * 4 <= cachedMaxBytes) return [runOf(uses)]
  const runs: ClipUse[][] = []
  for (const use of uses) {
    const [nearest] = runs
      .filter((run) => goesOn(run.at(-1), use))
      .toSorted((a, b) => (b.at(-1)?.frame ?? 0) - (a.at(-1)?.frame ?? 0))
    if (nearest) nearest.push(use)
    else runs.push([use])
  }
  return runs.map(runOf)
}

/**
 * Returns whether a use continues a run. A second frame of the clip at the same time belongs to
 * another run.
 */
function goesOn(last: ClipUse | undefined, { at, frame }: ClipUse): boolean {
  return last !== undefined && last.frame <= frame && (last.at < at || last.frame === frame)
}

function runOf(uses: readonly ClipUse[]): ClipRun {
  const lastUses = new Map<number, number>()
  for (const { at, frame } of uses) lastUses.set(frame, Math.max(at, lastUses.get(frame) ?? at))
  return {
    frames: [...lastUses.keys()].sort((a, b) => a - b),
    lastUses,
    uses: new Set(uses.map(({ at, frame }) => `${at} ${frame}`)),
  }
}
