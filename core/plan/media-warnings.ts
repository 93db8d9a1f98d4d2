import type { Warning } from '../project/lint/warning.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { mediaNeeds } from './needs.ts'

/** What is missing of pictures, clips and sounds that a project uses as far as they go. */
export function mediaWarnings(project: ResolvedProject, media: Facts['media']): Warning[] {
  return mediaNeeds(project).flatMap(({ field, ...need }) => {
    const facts = media.get(mediaKey(need))?.facts
    // Those of captions are told beside their lines.
    const sentences = facts && facts.kind !== 'subtitle' ? (facts.warnings ?? []) : []
    return sentences.map((message) => ({ field, code: 'media_damaged' as const, message }))
  })
}
