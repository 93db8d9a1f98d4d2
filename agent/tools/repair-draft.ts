import { draftText } from '../draft-view.ts'
import { cutShort, shownPath, shownValue } from '../strangers-text.ts'
import { hints, object, string, tool } from '../tool.ts'
import { fitting } from '../wording.ts'

const linesMost = 40
/** Bytes: at most 3,000 tokens, of whatever text. */
const bytesMost = 4_000

/** A second repair leaves the same. */
const mend = 'edit_draft'

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
    if (changes.length === 0) {
      return draftText(before, { before: ['Nothing could be mended without guessing.'], mend })
    }
    const change = { payload: repaired, baseVersion: before.version }
    const after = await farm.projects.change(draft, change, { signal })
    const lines = changes.map(({ action, path, from, to, why }) => {
      return `- ${action} ${shownPath(path)}: ${shown(from)} → ${shown(to)} (${cutShort(why)})`
    })
    const told = ['Changed:', ...fitting(lines, { bytesMost, linesMost })]
    return draftText(after, { before: told, mend })
  },
})

const valueMost = 100
/** Length of a value that the farm has cut: it comes as JSON already. */
const cutLength = 501

function shown(value: unknown): string {
  const isCut = typeof value === 'string' && value.length === cutLength && value.endsWith('…')
  return isCut ? cutShort(value, valueMost) : shownValue(value, valueMost)
}
