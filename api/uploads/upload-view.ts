import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import type { Upload } from '../../store/db/uploads/get-upload.ts'
import { makeLastingGrant } from '../gateway/grants.ts'
import type { PlayLinks } from '../playback/play-links.ts'

const shape = /^upl_[A-Za-z0-9]{20}$/

export const UploadParams = Type.Object({
  id: Type.String({ pattern: shape.source, title: '"upl_" and 20 letters or digits' }),
})

export const UploadKind = Type.Union([
  Type.Literal('image'),
  Type.Literal('video'),
  Type.Literal('audio'),
])

export const UploadView = Type.Object(
  {
    id: Type.String({ pattern: shape.source }),
    name: Type.String(),
    kind: UploadKind,
    mediaType: Type.String({ description: 'Type that the content shows; the name plays no part' }),
    bytes: Type.Integer({ minimum: 1 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    url: Type.String({
      format: 'uri',
      description: 'Signed address for a `src`; it lasts until the upload is deleted',
    }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Upload' },
)

export function showUpload(
  { id, name, kind, mediaType, bytes, digest, createdAt }: Upload,
  { publicUrl, secret }: PlayLinks,
) {
  const grant = makeLastingGrant({ kind: 'upload', id }, { secret })
  return {
    ...{ id, name, kind, mediaType, bytes, sha256: digest },
    url: `${publicUrl}/uploads/${id}/${grant}`,
    createdAt: createdAt.toISOString(),
  }
}

/** Gives the same answer for a missing upload and for another account's. */
export function uploadNotFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have an upload with this id. Got ${id}`)
}
