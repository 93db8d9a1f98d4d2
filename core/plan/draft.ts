import { FarmError } from '../errors.ts'
import { bakeKeyText } from '../project/bake-document.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { BakeDocument, BakeFacts } from '../tasks.ts'
import type { Facts } from '../timeline/facts.ts'
import type { VideoEncoder } from './formats.ts'
import { makePlan } from './make-plan.ts'
import type { CanvasSettings, Plan } from './plan.ts'

/**
 * What a plan is made of where the facts of some painted elements are missing: a node bakes the
 * `documents` and makes the plan itself. JSON; `media` and `bakes` are the entries of the known `Facts`.
 */
export type Draft = {
  readonly engine: string
  readonly project: ResolvedProject
  readonly media: readonly (readonly [string, MediumFacts])[]
  readonly bakes: readonly (readonly [string, BakeFacts])[]
  readonly documents: readonly BakeDocument[]
  readonly encoder: VideoEncoder
  readonly canvas: CanvasSettings
}

type MediumFacts = Facts['media'] extends ReadonlyMap<string, infer Medium> ? Medium : never

/**
 * The plan, once document i has become `baked[i]`.
 *
 * Errors: as `makePlan`'s; FarmError `internal` when there are more or fewer bakes than documents.
 */
export function planOfDraft(
  { project, media, bakes, documents, encoder, canvas }: Draft,
  { baked, sha256 }: { baked: readonly BakeFacts[]; sha256: (text: string) => string },
): Plan {
  const fresh = documents.map((document, index) => {
    const facts = baked[index]
    if (facts) return [bakeKeyText(document), facts] as const
    throw new FarmError('internal', 'A document of the draft was not painted')
  })
  const facts = { media: new Map(media), bakes: new Map([...bakes, ...fresh]) }
  return makePlan({ project, facts, encoder, canvas, sha256 })
}
