import { readFileSync } from 'node:fs'

export type HostileUrl = {
  /** URL as it is sent, with placeholders. */
  readonly url: string
  readonly context: string
  readonly isTaken: boolean
  readonly reason: string
  readonly variables: Readonly<Record<string, string>>
  /** Addresses that its name resolves to, look-up by look-up; absent: the row names none. */
  readonly answers: readonly (readonly string[])[] | undefined
  /** The fault shows in the URL's text, not only when it is dialled. */
  readonly isTextual: boolean
}

/**
 * Reads every row of the case table with its marks, such as `[dns:A=1.2.3.4 then ::1]` and
 * `[vars:u=http://127.0.0.1/]`.
 */
export function hostileUrls(): readonly HostileUrl[] {
  return readFileSync(new URL('hostile-urls.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [text = '', context = '', expected = '', reason = ''] = line.split('\t')
      const [, name, value] = /\[vars:(\w+)=([^\]]*)\]/.exec(reason) ?? []
      const dns = /\[dns:([^\]]*)\]/.exec(reason)?.[1]
      return {
        ...{ url: JSON.parse(`"${text}"`), context, isTaken: expected === 'accept', reason },
        variables: name === undefined ? {} : { [name]: value ?? '' },
        answers: dns?.split(' then ').map((turn) => turn.match(/[0-9a-f]*[.:][0-9a-f.:]+/gi) ?? []),
        isTextual: !/\[(?:dns:|http)/.test(reason),
      }
    })
}
