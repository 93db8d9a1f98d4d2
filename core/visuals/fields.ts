import { Type } from 'typebox'
import { animation, condition, maybe, numberFrom } from '../project/schema/fields.ts'
import { positions } from '../project/schema/names.ts'
import { track } from '../project/schema/parts.ts'

/** Schema of a visual's `type`: its name in any case, never a placeholder. */
export function visualType<Name extends string>(name: Name) {
  const letters = [...name].map((letter) => `[${letter}${letter.toLowerCase()}]`)
  return Type.Unsafe<Name>({ type: 'string', pattern: `^${letters.join('')}$`, title: name })
}

export const seconds = maybe(numberFrom(0))
const place = maybe(Type.Enum(positions, { $id: 'Position' }))

/** Fields of every visual. */
export const sharedFields = {
  x: maybe(Type.Number()),
  y: maybe(Type.Number()),
  width: maybe(numberFrom(1)),
  height: maybe(numberFrom(1)),
  position: place,
  anchor: place,
  resize: maybe(Type.Enum(['contain', 'cover'])),
  enterBegin: seconds,
  enterEnd: seconds,
  exitBegin: seconds,
  exitEnd: seconds,
  opacity: maybe(numberFrom(0, 1)),
  angle: maybe(Type.Number({ minimum: -360, maximum: 360 })),
  flipV: maybe(Type.Boolean()),
  flipH: maybe(Type.Boolean()),
  track: maybe(track),
  enterAnimation: maybe(animation),
  exitAnimation: maybe(animation),
  condition,
}
