import { maybe, mediaUrl, open } from '../../project/schema/fields.ts'
import { ChromaKey, CropParams, Filter, Radius, Zoom } from '../../project/schema/parts.ts'
import { sharedFields } from '../fields.ts'

/** Fields of every visual that shows a medium. */
export const pictureFields = {
  ...sharedFields,
  src: open(mediaUrl),
  cropParams: maybe(CropParams),
  filter: maybe(Filter),
  chromaKey: maybe(ChromaKey),
  zoom: maybe(Zoom),
  radius: maybe(Radius),
}
