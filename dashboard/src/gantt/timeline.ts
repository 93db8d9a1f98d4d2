/** Course of a job, as `GET /api/jobs/{id}/timeline` tells it. Times are ISO 8601. */
export type Timeline = {
  readonly stages: readonly {
    readonly name: string
    readonly begun: string
    readonly ended: string | null
  }[]
  readonly tasks: readonly {
    readonly id: string
    readonly kind: string
    readonly segments: readonly number[] | null
    readonly state: string
  }[]
  readonly attempts: readonly {
    readonly taskId: string
    readonly number: number
    readonly machine: string
    readonly leasedAt: string
    readonly endedAt: string | null
    readonly state: string
    readonly reason: string | null
    readonly frames: number | null
  }[]
  readonly segments: readonly {
    readonly index: number
    readonly firstFrame: number
    readonly frames: number
    readonly state: string
  }[]
}
