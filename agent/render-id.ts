import { InputRefused } from './source.ts'
import { quoted } from './strangers-text.ts'

/** @throws InputRefused for the id of a bulk, with the tool that takes it */
export function refuseBulkId(id: string, instead: 'get_bulk' | 'cancel_bulk'): void {
  if (!id.startsWith('blk_')) return
  throw new InputRefused(
    `id must be that of a render. Got ${quoted(id)}, that of a bulk. Call ${instead} with it.`,
  )
}
