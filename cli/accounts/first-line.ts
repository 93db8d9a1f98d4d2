import { text } from 'node:stream/consumers'

/** Reads a secret that must not stand on the command line: the first line of standard input. */
export async function firstLine(): Promise<string> {
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/)
  return line
}
