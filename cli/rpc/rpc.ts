import { type ServiceError, status } from '@grpc/grpc-js'
import { answerRows } from '../accounts/operate.ts'
import { Failure, usage } from '../failure.ts'
import { type Connection, connect, type Target } from './connection.ts'
import { type Definitions, type Method, readDefinitions } from './definitions.ts'
import { describe, messageName, methodsIn, type NamedMethod } from './describe.ts'

/** `farm rpc list`: the methods of a server. */
export async function listMethods(options: Target & { readonly json?: boolean }): Promise<void> {
  const { types } = await onServer(options, (connection) => readDefinitions(connection))
  const rows = methodsIn(types).map(({ name, method }) => ({
    method: name,
    request: messageName(method.requestType),
    response: messageName(method.responseType),
  }))
  const { json, text } = answerRows(rows)
  console.log(options.json ? JSON.stringify(json) : text)
}

/** `farm rpc describe NAME`: a service, a method or a message. */
export async function showDefinition(name: string, target: Target): Promise<void> {
  const { types } = await onServer(target, (connection) => readDefinitions(connection))
  const text = describe(name, types)
  if (text === undefined) throw usage(`NAME must be in \`farm rpc list\`. Got ${name}`)
  console.log(text)
}

/** `farm rpc call METHOD JSON`: calls a method once and prints its reply as JSON. */
export async function callMethod(name: string, text: string, target: Target): Promise<void> {
  const reply = await onServer(target, async (connection) => {
    const definitions = await readDefinitions(connection, { mayBeRefused: true })
    const { method } = findMethod(name, definitions)
    const request = readRequest(text, method)
    return await call(connection, method, request)
  })
  console.log(JSON.stringify(reply, undefined, 2))
}

/** Runs work on a server. @throws Failure which names the status of a failed call */
async function onServer<Result>(
  target: Target,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = connect(target)
  try {
    const result = await work(connection)
    return result
  } catch (error) {
    throw isServiceError(error) ? refused(error) : error
  } finally {
    connection.client.close()
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error
}

const advice: Readonly<Partial<Record<status, string>>> = {
  [status.UNAUTHENTICATED]: 'Check FARM_NODE_TOKEN, and the certificate in FARM_TLS_CERT.',
  [status.UNAVAILABLE]: 'Check the address, FARM_TLS_* and the firewall.',
}

function refused({ code, details }: ServiceError): Failure {
  const more = advice[code] === undefined ? '' : ` ${advice[code]}`
  return new Failure(`The server answered ${status[code]}: ${details.replace(/\.?$/, '.')}${more}`)
}

function findMethod(name: string, { types }: Definitions): NamedMethod {
  const all = methodsIn(types)
  const found = all.find((each) => each.name === name)
  if (!found) {
    const names = all.map((each) => each.name).join(', ')
    throw usage(`METHOD must be one of ${names}. Got ${name}`)
  }
  const { requestStream, responseStream } = found.method
  if (requestStream || responseStream) {
    throw usage(`METHOD must have one request and one reply. Got ${name}, which streams`)
  }
  return found
}

/** Reads a request. @throws Failure for text that is no JSON object, or has an unknown field */
function readRequest(text: string, { requestSerialize, requestDeserialize }: Method): object {
  const request = parse(text)
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw usage(`JSON must be an object. Got ${text}`)
  }
  const encoded = encode(request, requestSerialize)
  const unknown = unknownField(request, requestDeserialize(encoded))
  if (unknown !== undefined) {
    throw usage(`JSON must have fields of the request (farm rpc describe). Got ${unknown}`)
  }
  return request
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usage(`JSON must be valid. Got ${(error as Error).message}`)
  }
}

function encode(request: object, serialize: Method['requestSerialize']): Buffer {
  try {
    return serialize(request)
  } catch (error) {
    throw usage(`JSON must fit the request (farm rpc describe). Got ${(error as Error).message}`)
  }
}

/** Returns the first field that encoding has dropped, as it does with fields it does not know. */
function unknownField(given: unknown, encoded: unknown, path = ''): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  for (const [name, value] of Object.entries(given)) {
    const place = path === '' ? name : `${path}.${name}`
    if (typeof encoded !== 'object' || encoded === null || !(name in encoded)) return place
    const inside = unknownField(value, (encoded as Readonly<Record<string, unknown>>)[name], place)
    if (inside !== undefined) return inside
  }
  return undefined
}

function call(
  { client, metadata, deadline }: Connection,
  { path, requestSerialize, responseDeserialize }: Method,
  request: object,
): Promise<object | undefined> {
  const options = { deadline: deadline() }
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      ...([path, requestSerialize, responseDeserialize, request, metadata, options] as const),
      (error, reply) => (error ? reject(error) : resolve(reply)),
    )
  })
}
