/**
 * Texts of strangers in results of tools. Names, failures and page titles come from strangers, and a
 * model reads what it gets as if its person had said it: such text goes out on one line, cut, and
 * quoted where it is more than a path.
 */

const textMost = 500
const pathMost = 120
const listedMost = 80

/** Ends of lines, controls and signs that nobody sees, but for the joiners that writing needs. */
const unseen = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Cs}/gu

/** Writes ends of lines and invisible signs as escapes, which JSON reads as the same text. */
export function oneLine(text: string): string {
  return text.replace(unseen, escapeOf)
}

/** Cuts a text, and writes what is left on one line. */
export function cutShort(text: string, most: number = textMost): string {
  return oneLine(cut(text, most))
}

/** Quotes a stranger's text on one line, at most 500 characters of it. */
export function quoted(text: string, most: number = textMost): string {
  return oneLine(JSON.stringify(cut(text, most)))
}

/** Quotes the start of a name in a list: fifty long ones would fill a model's memory. */
export function quotedInList(text: string): string {
  return quoted(text, listedMost)
}

/** Writes a value as JSON on one line, at most 500 characters of it. */
export function shownValue(value: unknown, most: number = textMost): string {
  return cutShort(JSON.stringify(value) ?? 'nothing', most)
}

/** Shows a path as it is, and quotes one whose names could be read as words of ours. */
export function shownPath(path: string): string {
  return plainPath.test(path) && path.length <= pathMost
    ? path
    : oneLine(JSON.stringify(cut(path, pathMost)))
}

/** Names without spaces, like `scenes[0].src`, `/scenes/0/src` or `items[3] variables.title`. */
const plainPath = /^(?:items\[\d+\] )?[\w$@.:~/[\]-]+$/

function cut(text: string, most: number): string {
  const isLong = text.length > most
  return (isLong ? `${text.slice(0, most)}…` : text).toWellFormed()
}

function escapeOf(sign: string): string {
  const short = shortEscapes[sign]
  if (short !== undefined) return short
  return Array.from({ length: sign.length }, (_, at) => {
    return `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
