import type { ResolvedGif, ResolvedVideo } from '../project/resolved.ts'
import type { BakeFacts, IngestSpec, MediaFacts } from '../tasks.ts'

/** What ingest and bake found out. */
export type Facts = {
  /** By `mediaKey`. */
  readonly media: ReadonlyMap<string, { readonly digest: string; readonly facts: MediaFacts }>
  /** By `bakeKeyText` of the element's document: clones of a scene share their field. */
  readonly bakes: ReadonlyMap<string, BakeFacts>
}

/** One URL may be a film in one place and a sound in another: both are looked at, and both hold. */
export function mediaKey({ expect, url }: Pick<IngestSpec, 'expect' | 'url'>): string {
  return `${expect} ${url}`
}

export type ClipFacts = Extract<MediaFacts, { kind: 'video' | 'gif' }>

/** Undefined while it has not been probed. */
export function clipFactsOf(
  visual: Pick<ResolvedVideo | ResolvedGif, 'type' | 'src'>,
  { media }: Pick<Facts, 'media'>,
): ClipFacts | undefined {
  const expect = visual.type === 'GIF' ? 'gif' : 'video'
  const facts = media.get(mediaKey({ expect, url: visual.src }))?.facts
  return facts?.kind === expect ? facts : undefined
}
