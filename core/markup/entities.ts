import { Tokenizer } from 'parse5'

/**
 * Finds character references that nothing defines (`&foo;`). HTML's names count, not only XML's
 * five: a browser paints the picture, and knows them all.
 */
export function makeEntityCheck(): (source: string) => string | undefined {
  const known = new Set(['amp', 'lt', 'gt', 'quot', 'apos'])
  return (source) => {
    if (!source.includes('&')) return undefined
    for (const [reference, name = ''] of source.matchAll(/&([a-z][a-z0-9]*);/gi)) {
      if (known.has(name)) continue
      if (characterOf(reference) === reference) return reference
      known.add(name)
    }
    return undefined
  }
}

/** Decodes a character reference (`&eacute;`, `&#39;`); an unknown one is returned as it is. */
export function characterOf(reference: string): string {
  let text = ''
  const add = ({ chars }: { chars: string }) => {
    text += chars
  }
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    {},
    {
      onStartTag: ignore,
      onEndTag: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onCharacter: add,
      onNullCharacter: add,
      onWhitespaceCharacter: add,
    },
  )
  tokenizer.write(reference, true)
  return text
}
