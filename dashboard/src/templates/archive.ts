import type { TemplateSummary } from '../../../client/farm-client.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'

/** Archives a template, or brings it back; the message offers to take that back. */
export async function archive(
  { id, archived }: Pick<TemplateSummary, 'id' | 'archived'>,
  onDone: () => void,
): Promise<void> {
  const change = archived ? farm.templates.unarchive : farm.templates.archive
  const undo = () => void archive({ id, archived: !archived }, onDone)
  await act(() => change(id), archived ? 'It is back.' : 'It is archived.', undo)
  onDone()
}
