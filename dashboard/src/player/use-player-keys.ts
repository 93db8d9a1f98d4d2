import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { shortcuts } from '../settings/choices.ts'
import { keyPair } from '../ui/key-pair.ts'
import { isTyping } from '../ui/typing.ts'
import { nextRate, stepTime } from './shuttle.ts'

const frameSteps: Readonly<Record<string, number>> = { ',': -1, '.': 1 }
/** A film is played backwards by seeking, so often. */
const backwardsMs = 100

/**
 * Keys of the page's film: `,` and `.` step by a frame, `j` plays backwards, `k` stops and plays, `l` plays
 * forwards. They do nothing while one types, in a dialog, and as the second key of `g j`.
 */
export function usePlayerKeys(video: RefObject<HTMLVideoElement | null>, frames: number): void {
  useEffect(() => {
    let rate = 0
    let timer: ReturnType<typeof setInterval> | undefined
    /** Time to seek once the seek before has ended. */
    let goal: number | undefined
    const goalOf = (player: HTMLVideoElement) => goal ?? player.currentTime
    // Seeks that overlap leave Chromium seeking, or waiting for frames, for good.
    const seek = (player: HTMLVideoElement, time: number) => {
      goal = player.seeking ? time : undefined
      if (goal === undefined) player.currentTime = time
    }
    const sought = video.current
    const onSeeked = () => {
      if (sought && goal !== undefined && !sought.seeking) seek(sought, goal)
    }
    sought?.addEventListener('seeked', onSeeked)
    const play = (player: HTMLVideoElement, next: number) => {
      clearInterval(timer)
      rate = next
      if (next > 0) {
        player.playbackRate = next
        return void player.play()
      }
      player.pause()
      player.playbackRate = 1
      if (next === 0) return
      timer = setInterval(() => {
        const time = Math.max(0, goalOf(player) + (next * backwardsMs) / 1000)
        seek(player, time)
        if (time === 0) play(player, 0)
      }, backwardsMs)
    }
    const onKey = (event: KeyboardEvent) => {
      const player = video.current
      if (!player || !isForFilm(event)) return
      const { key } = event
      const step = frameSteps[key]
      if (key === 'j' || key === 'k' || key === 'l') {
        // The film's own controls may have stopped or started it.
        const now = rate < 0 ? rate : player.paused ? 0 : player.playbackRate
        play(player, nextRate(now, key))
      } else if (step && frames > 0 && player.duration > 0) {
        play(player, 0)
        const film = { frames, seconds: player.duration, step }
        seek(player, stepTime(goalOf(player), film))
      } else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => {
      clearInterval(timer)
      sought?.removeEventListener('seeked', onSeeked)
      removeEventListener('keydown', onKey)
    }
  }, [frames])
}

function isForFilm(event: KeyboardEvent): boolean {
  if (shortcuts.now.value === 'off' || event.defaultPrevented || isTyping(event)) return false
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  if (performance.now() < keyPair.until) return false
  return document.querySelector('dialog[open]') === null
}
