import { draftText } from '../draft-view.ts'
import { hints, object, string, tool } from '../tool.ts'

const shownMost = 40

export const repairDraft = tool<{ draft: string }>({
  name: 'repair_draft',
  title: 'Repair a draft',
  description:
    'Mends faults that have one meaning and says what and why; the rest stays for you. Free. The version before is kept.',
  hints: hints.adds,
  input: object({ draft: string() }),
  async run({ draft }, { farm, signal }) {
    const before = await farm.projects.get(draft, { signal })
    const { repaired, changes } = await farm.repair(before.payload, { signal })
    if (changes.length === 0) return draftText(before, 'Nothing could be mended without guessing.')
    const change = { payload: repaired, baseVersion: before.version }
    const after = await farm.projects.change(draft, change, { signal })
    const lines = changes.slice(0, shownMost).map(({ action, path, from, to, why }) => {
      return `- ${action} ${path}: ${shown(from)} → ${shown(to)} (${why})`
    })
    const more = changes.length - lines.length
    return draftText(after, 'Changed:', ...lines, ...(more > 0 ? [`- and ${more} more`] : []))
  },
})

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 100)
