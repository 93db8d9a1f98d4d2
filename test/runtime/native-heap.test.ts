import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { collectNow } from '../../runtime/collector.ts'
import { trimNativeHeap } from '../../runtime/native-heap.ts'

const megabyte = 2 ** 20
/** Below the size from which glibc maps a block by itself. */
const blockBytes = 100_000
const blocks = 3_000

/** Fills the heap, and frees all but every hundredth block, so that its top stays taken. */
async function freeAllButAFew(): Promise<readonly Buffer[]> {
  const kept = Array.from({ length: blocks }, (_, at) => {
    const block = Buffer.allocUnsafeSlow(blockBytes).fill(1)
    return at % 100 === 99 ? [block] : []
  }).flat()
  collectNow()
  await nextTurn()
  return kept
}

test.serial('free pages between blocks in use go back to the system', async (t) => {
  const kept = await freeAllButAFew()
  const before = process.memoryUsage.rss()
  const isGlibc = await trimNativeHeap()
  const freed = before - process.memoryUsage.rss()
  t.is(kept.length, blocks / 100)
  if (isGlibc) t.true(freed > 30 * megabyte, `${freed} bytes`)
  else t.log('skipped: the C library is not glibc')
})
