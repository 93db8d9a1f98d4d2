import {
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { protoPath as healthProto } from 'grpc-health-check'
import { nodeIdOf } from '../../core/fleet/node-identity.ts'
import { nodeProto } from '../../proto/files.ts'
import type { SchedulerContext } from '../context.ts'
import { admit, toStatus } from './unary.ts'

/** Makes server reflection (grpc.reflection.v1), which describes the services of this process. */
export function createReflection(): ReflectionService {
  return new ReflectionService(loadSync([nodeProto, healthProto], { keepCase: true }))
}

const reflectionPath = '/grpc.reflection.'

/** Admits callers of reflection as NodeService admits them: by a node's credentials. */
export function guardReflection(context: SchedulerContext): ServerInterceptor {
  return ({ path }, call) => {
    if (!path.startsWith(reflectionPath)) return new ServerInterceptingCall(call)
    const guard = new ServerListenerBuilder().withOnReceiveMetadata((metadata, receive) => {
      const certificate = call.getAuthContext().sslPeerCertificate
      // Its requests name no node: a certificate speaks for the node that it names.
      const nodeId = nodeIdOf(certificate?.subjectaltname) ?? ''
      admit(context, { nodeId, metadata, certificate }, { peer: call.getPeer(), path }).then(
        () => receive(metadata),
        (error: unknown) => call.sendStatus(toStatus(context, { path, error })),
      )
    })
    return new ServerInterceptingCall(call, { start: (next) => next(guard.build()) })
  }
}
