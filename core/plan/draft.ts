import { FarmError } from '../errors.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { BakeDocument, BakeFacts } from '../queue/tasks.ts'
import type { Facts } from '../timeline/facts.ts'
import { bakeKeyText } from '../visuals/painted/bake-document.ts'
import type { VideoEncoder } from './formats.ts'
import { makePlan } from './make-plan.ts'
import type { CanvasSettings, Plan } from './plan.ts'

/**
 * Input of a plan whose facts about some painted elements are missing: a node bakes the `documents`
 * and makes the plan itself. JSON; `media` and `bakes` are the entries of the known `Facts`.
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

type MakePlan = { readonly baked: readonly BakeFacts[]; readonly sha256: (text: string) => string }

/**
 * Makes the plan, once document i has become `baked[i]`.
 *
 * Errors: the errors of `makePlan`; FarmError `internal` when there are fewer bakes than documents.
 */
export function planOfDraft(draft: Draft, { baked, sha256 }: MakePlan): Plan {
  const { project, encoder, canvas } = draft
  return makePlan({ project, facts: factsOfDraft(draft, baked), encoder, canvas, sha256 })
}

/** Facts for the plan. Errors: FarmError `internal` when there are fewer bakes than documents. */
export function factsOfDraft(
  { media, bakes, documents }: Draft,
  baked: readonly BakeFacts[],
): Facts {
  const fresh = documents.map((document, index) => {
    const facts = baked[index]
    if (facts) return [bakeKeyText(document), facts] as const
    throw new FarmError('internal', 'A document of the draft was not painted')
  })
  return { media: new Map(media), bakes: new Map([...bakes, ...fresh]) }
}
