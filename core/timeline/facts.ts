import type { BakeFacts, IngestSpec, MediaFacts } from '../queue/tasks.ts'

/** Results of ingest and bake. */
export type Facts = {
  /** Keyed by `mediaKey`. */
  readonly media: ReadonlyMap<string, { readonly digest: string; readonly facts: MediaFacts }>
  /** Keyed by `bakeKeyText` of the element's document: clones of a scene share their field. */
  readonly bakes: ReadonlyMap<string, BakeFacts>
}

/** Key of a medium. One URL may be a film in one place and a sound in another; each is probed. */
export function mediaKey({ expect, url }: Pick<IngestSpec, 'expect' | 'url'>): string {
  return `${expect} ${url}`
}

export type ClipFacts = Extract<MediaFacts, { kind: 'video' | 'gif' }>

/** Returns undefined while the clip has not been probed. */
export function clipFactsOf(
  { expect, url }: { readonly expect: ClipFacts['kind']; readonly url: string },
  { media }: Pick<Facts, 'media'>,
): ClipFacts | undefined {
  const facts = media.get(mediaKey({ expect, url }))?.facts
  return facts?.kind === expect ? facts : undefined
}
