import { createRequire } from 'node:module'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { type ServiceError, status } from '@grpc/grpc-js'
import {
  loadFileDescriptorSetFromBuffer,
  loadSync,
  type MethodDefinition,
  type Options,
  type PackageDefinition,
} from '@grpc/proto-loader'
import { protoPath as healthProto } from 'grpc-health-check'
import { nodeProto } from '../../proto/files.ts'
import type { Connection } from './connection.ts'

/** Definitions of a server's services. */
export type Definitions = {
  readonly types: PackageDefinition
  /** False: the server has no reflection, so they are those of this release. */
  readonly areServers: boolean
}

export type Method = MethodDefinition<object, object>

/** Messages as JSON, under the names of the .proto file. */
const plain: Options = {
  ...{ keepCase: true, longs: Number, enums: String, bytes: String, defaults: true, json: true },
}

/**
 * Reads the definitions of a server's services by reflection, or loads those of this release from
 * their .proto files. `mayBeRefused`: also for a server that does not admit us to its reflection.
 */
export async function readDefinitions(
  connection: Connection,
  { mayBeRefused = false }: { mayBeRefused?: boolean } = {},
): Promise<Definitions> {
  try {
    return { types: await reflect(connection), areServers: true }
  } catch (error) {
    const { code } = error as ServiceError
    const isRefused = mayBeRefused && code === status.UNAUTHENTICATED
    if (code !== status.UNIMPLEMENTED && !isRefused) throw error
    return { types: loadSync([nodeProto, healthProto], plain), areServers: false }
  }
}

type Request = { readonly listServices: string } | { readonly fileContainingSymbol: string }
type Response = {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] } | null
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Uint8Array[] } | null
  readonly errorResponse?: { readonly errorMessage: string } | null
}

async function reflect(connection: Connection): Promise<PackageDefinition> {
  const [listed] = await ask(connection, [{ listServices: '*' }])
  const names = listed?.listServicesResponse?.service.map(({ name }) => name) ?? []
  const replies = await ask(
    connection,
    names.map((name) => ({ fileContainingSymbol: name })),
  )
  const files = replies.flatMap(({ fileDescriptorResponse, errorResponse }) => {
    if (errorResponse) throw new Error(`Reflection must find it. Got ${errorResponse.errorMessage}`)
    return fileDescriptorResponse?.fileDescriptorProto ?? []
  })
  const read = files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  const file = [...new Map(read.map((each) => [each.name, each])).values()]
  const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }))
  return loadFileDescriptorSetFromBuffer(Buffer.from(set), plain)
}

/** Asks in one stream; the answers have the order of the requests. */
function ask(
  { client, metadata, deadline }: Connection,
  requests: readonly Request[],
): Promise<readonly Response[]> {
  const { path, requestSerialize: write, responseDeserialize: read } = reflectionMethod()
  const options = { deadline: deadline() }
  const stream = client.makeBidiStreamRequest(path, write, read, metadata, options)
  return new Promise((resolve, reject) => {
    const replies: Response[] = []
    stream.on('data', (reply: Response) => replies.push(reply))
    stream.on('error', reject)
    stream.on('end', () => resolve(replies))
    for (const request of requests) stream.write(request)
    stream.end()
  })
}

function reflectionMethod(): Method {
  const { resolve } = createRequire(import.meta.url)
  const file = resolve('@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto')
  const service = loadSync(file, { keepCase: false })['grpc.reflection.v1.ServerReflection']
  const method = (service as Readonly<Record<string, Method>> | undefined)?.ServerReflectionInfo
  if (!method) throw new Error('@grpc/reflection must define ServerReflection. It does not')
  return method
}
