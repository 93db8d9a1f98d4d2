import { characterOf } from '../../markup/entities.ts'
import { voidTags } from '../../markup/rules.ts'
import { createScanner, type Tag } from '../../markup/scan.ts'
import { type Declarations, readDeclarations } from './styles.ts'

/** Element of a TEXT's markup; character references in its texts are decoded, roughly. */
export type Branch = {
  readonly tag: string
  readonly own: Declarations
  readonly children: (Branch | string)[]
}

const maxDepth = 64

/** Parses markup into a tree, in linear time. Pictures inside it are leaves without words. */
export function readTree(markup: string, own: Declarations): Branch {
  const root: Branch = { tag: 'div', own, children: [] }
  const open = [root]
  const scanner = createScanner(markup)
  for (let piece = scanner.next(); piece; piece = scanner.next()) {
    const holder = open.at(-1) ?? root
    if (piece.kind === 'text') holder.children.push(decoded(piece.raw))
    if (piece.kind !== 'tag') continue
    if (piece.closing) {
      const at = open.findLastIndex(({ tag }) => tag === piece.name)
      if (at > 0) open.length = at
    } else {
      const branch = branchOf(piece)
      holder.children.push(branch)
      const closed = voidTags.has(piece.name) || piece.selfClosing
      if (!closed && open.length < maxDepth) open.push(branch)
    }
  }
  return root
}

function branchOf(tag: Tag): Branch {
  const own = readDeclarations(tag.attributes.get('style') ?? '')
  const families = tag.attributes.get('font-family')
  const styled = families === undefined ? own : new Map([['font-family', families], ...own])
  return { tag: tag.name, own: styled, children: [] }
}

const references: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

function decoded(raw: string): string {
  if (!raw.includes('&')) return raw
  return raw.replace(/&(#?[0-9a-z]{1,30});/gi, (reference, name: string) => {
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    if (!name.startsWith('#')) return references[name] ?? characterOf(reference)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : 'x'
  })
}
