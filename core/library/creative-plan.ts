/** An example that a brief may match. Matching goes by words alone: the same brief gets the same plan. */

export type Candidate = {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly type: 'video' | 'image'
  readonly width: number
  readonly height: number
}

export type PlanCriteria = {
  readonly brief: string
  readonly type?: 'video' | 'image'
  /** Ratio such as `16:9`; `custom` allows any. */
  readonly aspectRatio?: string
  readonly seed?: string
  readonly exclude?: readonly string[]
}

export type Ranked<T extends Candidate> = {
  readonly example: T
  readonly score: number
  readonly matchedWords: readonly string[]
}

const titlePoints = 3
const wordPoints = 2
const formPoints = 1
const shortestWord = 3
const fillers = new Set(
  'the and for with our your that this from into about make create video film clip image picture want need please show short'.split(
    ' ',
  ),
)

/** Distinct words of a brief, without fillers and short words. */
export function wordsOf(brief: string): string[] {
  const words = brief.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words)].filter((word) => word.length >= shortestWord && !fillers.has(word))
}

/** Ranks all candidates, best first. A seed shuffles candidates of equal score. */
export function rankExamples<T extends Candidate>(
  candidates: readonly T[],
  criteria: PlanCriteria,
): Ranked<T>[] {
  const words = wordsOf(criteria.brief)
  const excluded = new Set(criteria.exclude)
  return candidates
    .filter(({ slug, type }) => !excluded.has(slug) && (criteria.type ?? type) === type)
    .map((example) => rank(example, words, criteria.aspectRatio))
    .toSorted((a, b) => b.score - a.score || turn(a, criteria.seed) - turn(b, criteria.seed))
}

function rank<T extends Candidate>(
  example: T,
  words: readonly string[],
  aspectRatio: string | undefined,
): Ranked<T> {
  const title = wordsOf(`${example.title} ${example.slug}`)
  const described = wordsOf(example.description)
  const inTitle = words.filter((word) => title.some((each) => isSame(each, word)))
  const inWords = words.filter((word) => described.some((each) => isSame(each, word)))
  const form = hasForm(example, aspectRatio) ? formPoints : 0
  return {
    example,
    score: inTitle.length * titlePoints + inWords.length * wordPoints + form,
    matchedWords: [...new Set([...inTitle, ...inWords])],
  }
}

/** True for equal words, or where one extends the other: launch, launches. */
function isSame(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return long === short || (short.length > shortestWord && long.startsWith(short))
}

function hasForm({ width, height }: Candidate, aspectRatio = 'custom'): boolean {
  const [across = 0, down = 0] = aspectRatio.split(':').map(Number)
  return across > 0 && down > 0 && Math.sign(width - height) === Math.sign(across - down)
}

/** Hash of a slug and a seed (FNV-1a); without a seed, 0 keeps the order. */
function turn<T extends Candidate>({ example }: Ranked<T>, seed: string | undefined): number {
  if (seed === undefined) return 0
  let hash = 0x811c9dc5
  for (const letter of `${seed} ${example.slug}`) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0
  }
  return hash
}
