import { engineVersion } from '../engine.ts'
import { FarmError } from '../errors.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { BakeDocument, BakeFacts } from '../queue/tasks.ts'
import type { Facts } from '../timeline/facts.ts'
import { bakeKeyText } from '../visuals/painted/bake-document.ts'
import type { VideoEncoder } from './formats.ts'
import { makePlan } from './make-plan.ts'
import { bakeNeeds } from './needs.ts'
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
  const { engine, project, encoder, canvas } = draft
  return makePlan({ engine, project, facts: factsOfDraft(draft, baked), encoder, canvas, sha256 })
}

/**
 * Facts for the plan, under the keys of this process's engine: another one may have made the draft.
 *
 * Errors: FarmError `internal` when there are fewer bakes than documents.
 */
export function factsOfDraft(
  { engine, project, media: known, bakes, documents }: Draft,
  baked: readonly BakeFacts[],
): Facts {
  const media = new Map(known)
  const stored = new Map(bakes)
  const fresh = documents.map((document, index) => {
    const facts = baked[index]
    if (facts) return [bakeKeyText(document), facts] as const
    throw new FarmError('internal', 'A document of the draft was not painted')
  })
  if (engine === engineVersion) return { media, bakes: new Map([...stored, ...fresh]) }
  const renamed = bakeNeeds(project, media).flatMap((document) => {
    const facts = stored.get(bakeKeyText(document, engine))
    return facts ? [[bakeKeyText(document), facts] as const] : []
  })
  return { media, bakes: new Map([...renamed, ...fresh]) }
}
