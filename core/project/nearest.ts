/** Returns the candidate that a misspelt name most likely means; undefined when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > 40) return undefined
  let best: string | undefined
  let bestDistance = Math.min(3, Math.floor(name.length / 3)) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Optimal string alignment distance: insertions, deletions, replacements, swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, at(beforeLast, j - 2) + 1)
      }
      row.push(distance)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], j: number): number {
  return row[j] ?? 0
}

/** Like `nearest`, but ignores accents, case and marks: "First name" means `first_name`. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates].slice(0, maxCandidates)
  const plain = plainName(name)
  const same = plain === '' ? undefined : all.find((candidate) => plainName(candidate) === plain)
  return same ?? nearest(name, all)
}

const maxCandidates = 1000

function plainName(name: string): string {
  const letters = name.slice(0, 200).normalize('NFKD').toLowerCase()
  return letters.replace(/[^\p{L}\p{N}]/gu, '')
}
