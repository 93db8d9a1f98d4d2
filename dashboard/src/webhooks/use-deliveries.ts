import { useEffect, useRef, useState } from 'preact/hooks'
import type { AccountDelivery } from '../../../client/api-types.ts'
import type { DeliveryFilter } from '../../../client/farm-client.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { caller } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { type Log, withNewest, withOlder } from './merge-deliveries.ts'

const pageSize = 50

/** Reads deliveries from the newest on; older ones when asked for, page by page to the end. */
export function useDeliveries(filter: DeliveryFilter) {
  const key = JSON.stringify(filter)
  const read = (signal?: AbortSignal, after?: string) =>
    caller.ask('GET /api/webhooks/deliveries', {
      ...(signal && { signal }),
      query: { ...filter, pageSize, ...(after && { after }) },
    })
  const newest = useLoaded((signal) => read(signal), [key], {
    isAffected: ({ kind }) => kind === 'job',
  })
  const [log, setLog] = useState<Log<AccountDelivery>>()
  const of = useRef(key)
  useEffect(() => {
    const { data } = newest
    const isSame = of.current === key
    of.current = key
    setLog((before) => (data && before && isSame ? withNewest(before, data) : data))
  }, [newest.data, key])
  const showOlder = async () => {
    const after = log?.next
    if (!after) return
    const page = await act(() => read(undefined, after), '')
    if (page && of.current === key) setLog((before) => before && withOlder(before, page))
  }
  const { data, error, reload } = newest
  return { read: { data: log, error, reload }, total: data?.total, reload, showOlder }
}
