import type { Warning } from '../project/lint/warning.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { mediaNeeds } from './needs.ts'

/** Warns of pictures, clips and sounds that are damaged, and used as far as they can be read. */
export function mediaWarnings(project: ResolvedProject, media: Facts['media']): Warning[] {
  return mediaNeeds(project).flatMap(({ field, isInHtml, ...need }) => {
    const facts = media.get(mediaKey(need))?.facts
    // Warnings about captions are added with their lines.
    const sentences = facts && facts.kind !== 'subtitle' ? (facts.warnings ?? []) : []
    return sentences.map((sentence) => {
      const message = isInHtml ? pictureSentence(sentence, need.url) : sentence
      return { field, code: 'media_damaged' as const, message }
    })
  })
}

/** A sentence about one of the pictures in an html field. */
export function pictureSentence(sentence: string, url: string): string {
  const shown = url.length > 200 ? `${url.slice(0, 199)}…` : url
  const end = /[.!?]$/.test(sentence) ? '' : '.'
  return `${sentence}${end} The picture is ${shown}`
}
