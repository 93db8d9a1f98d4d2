import { mediaUrlFault } from '../../project/media-url.ts'
import { childOf } from '../../project/report.ts'
import { type RuleContext, sentence } from '../../project/rule-words.ts'

type Item = Readonly<Record<string, unknown>>

/**
 * Most distinct markup of a project, in characters: validating more would block the process that
 * accepts requests (measured: 1 to 2 s for 2 MB of nothing but styled tags).
 */
const maxMarkup = 1_000_000

/** Checks the markup in a field of a visual, whose name is that of its language. */
export function checkMarkup(
  visual: Item,
  key: 'html' | 'svg',
  path: string,
  context: RuleContext,
): void {
  const markup = visual[key]
  if (typeof markup !== 'string' || markup === '' || markup.length > 200_000) return
  const { read, report, trustedHosts } = context
  const known = `${key} ${markup}`
  if (!read.has(known)) {
    context.markup.characters += markup.length
    if (context.markup.characters > maxMarkup) {
      const rule = `A project must have <= ${maxMarkup} characters of distinct html and svg in total.`
      report.add(childOf(path, key), rule)
      return
    }
    read.set(known, context.work.readMarkup(key, markup))
  }
  const { faults = [], pictures = [] } = read.get(known) ?? {}
  for (const fault of faults) report.add(childOf(path, key), sentence(fault))
  for (const url of pictures) {
    const fault = mediaUrlFault(url, { trustedHosts })
    if (fault) report.add(childOf(path, key), `The src of <img> ${fault}`)
  }
  context.pictures.count += pictures.length
}
