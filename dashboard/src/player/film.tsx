import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Copy } from '../ui/copy.tsx'
import { snapshotTime } from './shuttle.ts'
import { usePlayerKeys } from './use-player-keys.ts'

/** A film with keys for single frames, and its time to copy. */
export function Film({
  video,
  frames,
  src,
  poster,
  isLive = false,
  onError,
}: {
  video: RefObject<HTMLVideoElement | null>
  frames: number
  src?: string
  poster?: string | null
  isLive?: boolean
  onError?: () => void
}) {
  usePlayerKeys(video, frames)
  const live = isLive ? { autoplay: true, muted: true } : { preload: 'metadata' as const }
  return (
    <div class="film">
      <video
        class="player"
        ref={video}
        {...(src && { src })}
        {...(poster && { poster })}
        controls
        playsInline
        onError={() => onError?.()}
        {...live}
      />
      <TimeButton video={video} frames={frames} />
    </div>
  )
}

/** Copies the time of the frame shown, as a still's project has it. */
function TimeButton({
  video,
  frames,
}: {
  video: RefObject<HTMLVideoElement | null>
  frames: number
}) {
  const [time, setTime] = useState(0)
  useEffect(() => {
    const player = video.current
    if (!player) return
    const read = () => {
      const isKnown = frames > 0 && player.duration > 0 && Number.isFinite(player.duration)
      const film = { frames, seconds: player.duration }
      setTime(isKnown ? snapshotTime(player.currentTime, film) : player.currentTime)
    }
    const events = ['timeupdate', 'seeked', 'durationchange'] as const
    for (const each of events) player.addEventListener(each, read)
    return () => {
      for (const each of events) player.removeEventListener(each, read)
    }
  }, [frames])
  return (
    <p class="film-time">
      <Copy text={`"snapshotTime": ${time}`} label="Copy time as snapshotTime" />
      <span class="quiet">{time.toFixed(3)} s</span>
    </p>
  )
}
