import { styleFaults } from '../../markup/css.ts'
import { isRecord } from '../../project/check.ts'
import { childOf } from '../../project/report.ts'
import { type RuleContext, sentence } from '../../project/rule-words.ts'
import { checkMarkup } from '../painted/rules.ts'

type Item = Readonly<Record<string, unknown>>

export function checkText(visual: Item, path: string, context: RuleContext): void {
  const { report } = context
  const contents = [visual.html, visual.text]
  const blank = (content: unknown) =>
    content === undefined || (typeof content === 'string' && content.trim() === '')
  if (contents.every(blank)) {
    const key = ['html', 'text'].find((name) => Object.hasOwn(visual, name))
    const field = key === undefined ? path : childOf(path, key)
    report.add(field, 'A TEXT visual must have text or html that is not empty.')
  }
  checkMarkup(visual, 'html', path, context)
  if (!isRecord(visual.style)) return
  const style = Object.entries(visual.style).filter(isDeclaration)
  for (const { property, message } of styleFaults(Object.fromEntries(style))) {
    const at = childOf(path, 'style')
    report.add(property === '' ? at : childOf(at, property), sentence(message))
  }
}

function isDeclaration(entry: [string, unknown]): entry is [string, string | number] {
  return typeof entry[1] === 'string' || typeof entry[1] === 'number'
}
