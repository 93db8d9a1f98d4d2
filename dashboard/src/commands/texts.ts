import { type Action, type ActionName, actions } from './actions.ts'

/** An act with what it is done to. */
export type Command = {
  readonly action: ActionName
  readonly id?: string
  /** Ids of several, which one loop goes over. */
  readonly ids?: readonly string[]
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** Path that answers the payload to send. */
  readonly payloadAt?: string
  /** File whose bytes are the body. */
  readonly file?: string
  /** Project or request that the farm's command reads as `project.json`. */
  readonly project?: unknown
}

export type CommandText = { readonly kind: 'curl' | 'farm'; readonly text: string }

/** Returns an act as texts for a shell. The key stands in the environment, and in no history. */
export function textsOf(
  command: Command,
  { origin, isOperator }: { origin: string; isOperator: boolean },
): readonly CommandText[] {
  const { farm, operator }: Action = actions[command.action]
  const own = farm ?? (isOperator && command.ids === undefined ? operator : undefined)
  return [
    { kind: 'curl', text: curlOf(command, origin) },
    { kind: 'farm', text: own === undefined ? callOf(command) : farmOf(own, command) },
  ]
}

function curlOf(command: Command, origin: string): string {
  const { ids, ...one } = command
  if (ids === undefined) return followed(one, curlOfOne(one, origin))
  const each = followed(one, curlOfOne({ ...one, id: '$id' }, origin)).replaceAll('\n', '\n  ')
  return `for id in ${ids.join(' ')}; do\n  ${each}\ndone`
}

function curlOfOne(command: Command, origin: string): string {
  const action: Action = actions[command.action]
  const { body, payloadAt, file } = command
  const { method, path } = requestOf(command)
  const url = origin + path
  const credential = credentials[action.by ?? 'key']
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[?&]/.test(url) ? quoted(url) : url}`,
    ...(credential ? [`-H "${credential}"`] : []),
    ...(action.saves ? [`-o ${action.saves}`] : []),
  ]
  const isJson = body !== undefined || payloadAt !== undefined
  if (isJson) lines.push(`-H 'Content-Type: application/json'`)
  if (body !== undefined) lines.push(`-d ${quoted(JSON.stringify(body))}`)
  if (payloadAt !== undefined) lines.push('-d @-')
  if (file !== undefined) lines.push(`-H 'Content-Type: application/octet-stream'`)
  if (file !== undefined) lines.push(`--data-binary @${file}`)
  const text = lines.join(' \\\n  ')
  return payloadAt === undefined
    ? text
    : `printf '{"payload":%s}' "$(curl -sS ${origin}${payloadAt})" | \\\n${text}`
}

function requestOf({ action, id = '', query = {} }: Command) {
  const [method = '', path = ''] = actions[action].route.split(' ')
  const asked = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
  const inPath = id === '$id' ? id : encodeURIComponent(id)
  return { method, path: `${path.replace('{id}', inPath)}${asked.size > 0 ? `?${asked}` : ''}` }
}

/** Returns the act as a request that the command line sends. */
function callOf({ ids, ...one }: Command): string {
  if (ids === undefined) return callOfOne(one)
  return `for id in ${ids.join(' ')}; do\n  ${callOfOne({ ...one, id: '$id' })}\ndone`
}

function callOfOne(command: Command): string {
  const { saves, follows }: Action = actions[command.action]
  const { body, payloadAt, file } = command
  const { method, path } = requestOf(command)
  const words = [
    `farm call ${method} ${/[?&]/.test(path) ? quoted(path) : path}`,
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
    ...(payloadAt === undefined ? [] : ['-d @-']),
    ...(file === undefined ? [] : [`--file ${file}`]),
    ...(saves === undefined ? [] : [`-o ${saves}`]),
    ...(follows === undefined ? [] : [`--save ${follows}`]),
  ]
  const line = words.join(' \\\n  ')
  if (payloadAt === undefined) return line
  return `printf '{"payload":%s}' "$(farm call GET ${payloadAt})" | \\\n${line}`
}

const credentials = {
  ...{ key: 'X-Api-Key: $FARM_API_KEY', person: 'Authorization: Bearer $ACCESS_TOKEN' },
  none: undefined,
}

/** Saves the file whose address is a field of the answer, under its own name. */
function followed({ action }: Command, curl: string): string {
  const { follows }: Action = actions[action]
  if (follows === undefined) return curl
  const read = `sed -n 's/.*"${follows}":"\\([^"]*\\)".*/\\1/p'`
  return `curl -OJ "$(${curl.replace('curl ', 'curl -sS ')} | ${read})"`
}

function farmOf(command: string, { id = '', project }: Command): string {
  const line = command.replace('{id}', id)
  if (project === undefined) return line
  // The quotes keep the shell from reading anything in it; no line of JSON can be the end mark.
  const file = ["cat > project.json <<'END_OF_PROJECT'", JSON.stringify(project, null, 2)]
  return [...file, 'END_OF_PROJECT', line].join('\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
