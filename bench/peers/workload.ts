import type { BulkRequest, RenderPayload } from '../../client/api-types.ts'

/**
 * A usual job, as the farm's customers send it and as an ffmpeg expert writes it by hand.
 * `request`: the request; with `items`, a bulk. `graphs`: ffmpeg's arguments between the global
 * options and the encoder, one for each output; two run at a time.
 */
export type Workload = {
  readonly name: string
  readonly size: readonly [number, number]
  readonly isStill: boolean
  readonly request: (address: (file: string) => string) => WorkRequest
  readonly graphs: readonly (readonly string[])[]
}

/** Job, or a bulk of them. */
export type WorkRequest = {
  readonly payload: RenderPayload
  readonly items?: BulkRequest['items']
}
