import type {
  DrawCommand,
  FillCommand,
  FrameDescription,
  PictureCommand,
} from '../../../core/timeline/draw.ts'
import type { Rect } from '../../../core/timeline/rect.ts'

const unturned = [1, 0, 0, 1, 0, 0] as const

export function fill(rect: Rect, color: string): FillCommand {
  return { op: 'fill', rect, color }
}

/** The whole of a picture at its own size in the corner, or with `changes`. */
export function picture(
  digest: string,
  size: { width: number; height: number },
  changes: Partial<PictureCommand> = {},
): PictureCommand {
  const whole = [0, 0, size.width, size.height] as const
  return {
    op: 'picture',
    pixels: { kind: 'media', digest },
    source: whole,
    dest: whole,
    matrix: unturned,
    opacity: 1,
    ...changes,
  }
}

export function frameOf(
  size: { width: number; height: number },
  ...commands: DrawCommand[]
): FrameDescription {
  return { ...size, commands }
}
