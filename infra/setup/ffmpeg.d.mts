export type OwnFfmpegState = {
  readonly state: 'none' | 'building' | 'current' | 'old' | 'failed'
  readonly facts: string
}
export function ownFfmpegState(): Promise<OwnFfmpegState>
