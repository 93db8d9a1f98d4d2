/** Returns a word as a shell takes it. */
export const quoted = (text: string) =>
  /^[\w@.:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
