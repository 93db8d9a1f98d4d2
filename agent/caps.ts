import type { Connection } from './tool.ts'
import { counted, leftText } from './wording.ts'

type Caps = Pick<Connection, 'renderCap' | 'total'>

/** Says what a connection may spend. */
export function capsText({ renderCap, total }: Caps): string {
  const each = renderCap === null ? 'none for a render' : `${counted(renderCap, 'credit')} a render`
  if (total === null) return `spending caps ${each}, none in all`
  return `spending caps ${each}, ${counted(total.cap, 'credit')} in all of which ${leftText(total.left)}`
}

/**
 * Says which caps a price exceeds, with both numbers, before a render is refused for it.
 * `dearest`: the most that one render of it costs, where that is known.
 */
export function overCapLines(
  { dearest = 0, creditsMost }: { readonly dearest?: number; readonly creditsMost: number },
  { renderCap, total }: Caps,
): readonly string[] {
  const raise = 'A user of the account can raise it.'
  const overRender = renderCap !== null && dearest > renderCap
  const overTotal = total !== null && creditsMost > total.left
  const lines: string[] = []
  if (overRender) {
    const rule = `Above the cap of this connection, ${counted(renderCap, 'credit')} a render`
    lines.push(`${rule}: it costs up to ${dearest}. ${raise}`)
  }
  if (overTotal) {
    const rule = `Above what is left of this connection's cap of ${counted(total.cap, 'credit')} in all`
    lines.push(`${rule}: it costs up to ${creditsMost}, but ${leftText(total.left)}. ${raise}`)
  }
  return lines
}
