/**
 * Keys are paths of plain segments, equal in S3, in a directory and in a URL. None can escape from
 * the store.
 */
const keyPattern =
  /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}){0,15}$/

export function isKey(text: string): boolean {
  return keyPattern.test(text)
}

/** @throws Error when the text is not a key. Keys are made by the farm, so this is its own fault. */
export function checkKey(key: string): string {
  if (isKey(key)) return key
  throw new Error(
    `An object key must be 1 to 16 segments of letters, digits, ., _ and -. Got ${JSON.stringify(key)}`,
  )
}

/** A prefix is a key and a slash: `accounts/1/tasks/`. It never cuts a segment. */
export function checkPrefix(prefix: string): string {
  if (prefix.endsWith('/') && isKey(prefix.slice(0, -1))) return prefix
  throw new Error(`A prefix must be an object key and a slash. Got ${JSON.stringify(prefix)}`)
}

/**
 * Key under which an attempt writes one of its outputs. Every attempt has its own keys, so a late
 * node overwrites nothing.
 */
export function taskOutputKey({
  accountId,
  taskId,
  attempt,
  name,
}: {
  accountId: string
  taskId: string
  attempt: number
  name: string
}): string {
  return checkKey(`accounts/${accountId}/tasks/${taskId}/${attempt}/${name}`)
}

/** Key of the log that an attempt's node wrote while it worked: lines of JSON. */
export function taskLogKey(attempt: {
  accountId: string
  taskId: string
  attempt: number
}): string {
  return taskOutputKey({ ...attempt, name: 'log' })
}
