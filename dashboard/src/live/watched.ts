import { signal } from '@preact/signals'
import { hasEnded } from '../jobs/job-summary.ts'
import { notices } from '../settings/choices.ts'
import { kept } from '../ui/kept.ts'
import { setBadge } from '../ui/title.ts'
import { gatherNotices, type Notice } from './end-notices.ts'
import { isLeading, onLive } from './live.ts'

const mostWatched = 200
const choice = kept<readonly string[]>('watched jobs', {
  first: [],
  read: (text) => text.split(' ').filter(Boolean),
})

/** Ids of the jobs whose end is told. */
export const watched = choice.now

export function watch(id: string, isWatched: boolean): void {
  const others = watched.value.filter((each) => each !== id)
  choice.choose(isWatched ? [...others, id].slice(-mostWatched) : others)
}

const ended = signal(0)
/** Jobs whose end this tab has told; a stream that is opened again may repeat it. */
const told = new Set<string>()
/** An ended job is still watched for so long: other tabs may hear of its end later. */
const forgetMs = 60_000

/** Tells the ends of watched jobs: as a number in the tab's title, and by the system where allowed. */
export function startWatching(): void {
  const notify = gatherNotices({ show })
  ended.subscribe(setBadge)
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) ended.value = 0
  })
  onLive(({ kind, data }) => {
    if (kind !== 'job' || !hasEnded(data) || told.has(data.id)) return
    if (!watched.value.includes(data.id)) return
    told.add(data.id)
    if (document.hidden) ended.value += 1
    // All tabs hear of it; one of them tells.
    if (!isLeading()) return
    setTimeout(() => watch(data.id, false), forgetMs)
    if (notices.now.value === 'on' && !document.hasFocus()) notify(data)
  })
}

function show({ title, body, path }: Notice): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  const notice = new Notification(title, { body, tag: 'farm jobs', icon: '/icon.svg' })
  notice.onclick = () => {
    window.focus()
    location.assign(path)
  }
}
