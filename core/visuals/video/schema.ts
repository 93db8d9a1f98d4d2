import { Type } from 'typebox'
import {
  animation,
  identifier,
  integerFrom,
  maybe,
  numberFrom,
  text,
} from '../../project/schema/fields.ts'
import { seconds, visualType } from '../fields.ts'
import { pictureFields } from '../picture/fields.ts'

export const VideoVisual = Type.Object(
  {
    type: visualType('VIDEO'),
    ...pictureFields,
    id: maybe(identifier),
    videoBegin: seconds,
    videoEnd: seconds,
    videoDuration: maybe(numberFrom(0.1)),
    volume: maybe(numberFrom(0, 2)),
    speed: maybe(numberFrom(0.1, 10)),
    transition: maybe(animation),
    transitionDuration: seconds,
    transitionId: maybe(text(100)),
    frameRate: maybe(integerFrom(1, 60)),
    hasAudio: maybe(Type.Boolean()),
  },
  { $id: 'VideoVisual', title: 'a VIDEO visual', additionalProperties: false },
)
