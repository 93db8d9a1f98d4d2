import type { DrawCommand } from '../../core/timeline/draw.ts'
import type { Context2D } from './canvas.ts'
import type { PaintTools } from './paint-tools.ts'
import { type Offset, paintFill, paintPicture } from './picture.ts'
import { paintTransition } from './transition.ts'

/** Runs the commands, bottom first. Restores the clip and the blending. */
export function paintCommands(
  context: Context2D,
  commands: readonly DrawCommand[],
  { tools, offset }: { tools: PaintTools; offset: Offset },
): void {
  for (const command of commands) {
    switch (command.op) {
      case 'fill':
        paintFill(context, command, offset)
        break
      case 'picture':
        paintPicture(context, command, { ...tools, offset })
        break
      case 'transition':
        paintTransition(context, command, { tools, offset, paint: paintCommands })
        break
      default:
        command satisfies never
    }
  }
}
