// The page that plays a film while it renders, and shows which of its pieces are there.

import { startPlayer } from './player.js'

const [grant = '', jobId = ''] = location.pathname.split('/').reverse()
const film = `../../play/${encodeURIComponent(jobId)}/${encodeURIComponent(grant)}`

const pollMs = 1_000
/** Distance of looks at a film in a tab that nobody sees. */
const hiddenPollMs = 5_000
/** Seconds between ranges of a film's buffer that are one for people. */
const gapSeconds = 0.2

const part = (id) => document.getElementById(id)
const video = part('video')

let state
let player
let isLost = false
let isUnplayable = false

/** @throws Error with `mayPass` when asking again may help */
async function readState() {
  const options = { cache: 'no-store', credentials: 'omit' }
  const reply = await fetch(`${film}/state.json`, options).catch(() => undefined)
  if (reply?.ok) return await reply.json()
  const mayPass = reply === undefined || reply.status >= 500 || reply.status === 429
  throw Object.assign(new Error(refusalOf(reply?.status)), { mayPass })
}

function refusalOf(status) {
  if (status === 403 || status === 400) {
    return 'This address has expired or was changed. Ask for a new one where you got it.'
  }
  if (status === 404) return 'There is no film at this address.'
  return 'The farm cannot be reached. Trying again…'
}

function showStatus(text) {
  if (part('status').textContent !== text) part('status').textContent = text
  part('status').hidden = text === ''
}

/** Ends the page's work with a sentence. */
function showFault(text) {
  showStatus('')
  video.pause()
  part('film').hidden = true
  part('fault').textContent = text
  part('fault').hidden = false
}

const sentences = {
  queued: () => 'The film waits for its turn.',
  resolving: () => 'The farm prepares the film.',
  rendering: ({ progress }) => `The farm renders the film: ${progress} %.`,
  assembling: () => 'The farm puts the film together.',
  completed: () => 'The film is complete.',
}

function describeState() {
  const sentence = sentences[state.state](state)
  const isWaiting = state.pieces.length > 0 && video.readyState < 3 && waitedPiece() !== undefined
  return isWaiting ? `${sentence} The part that you wait for is rendered first.` : sentence
}

/** Index of the missing piece that the player needs next. */
function waitedPiece() {
  const end = bufferedUntil(video.currentTime)
  const index = state.pieces.findIndex(({ start, seconds }) => end < start + seconds - gapSeconds)
  return index < 0 || isPlayable(state.pieces[index]) ? undefined : index
}

function bufferedUntil(moment) {
  for (let i = 0; i < video.buffered.length; i += 1) {
    const [from, to] = [video.buffered.start(i), video.buffered.end(i)]
    if (from - gapSeconds <= moment && moment <= to) return to
  }
  return moment
}

/** The state is as old as a second; a piece that the player has is there. */
function isPlayable({ start, seconds, isThere }) {
  return isThere || bufferedUntil(start + gapSeconds) >= start + seconds - gapSeconds
}

function lengthOf({ pieces }) {
  const last = pieces.at(-1)
  return last ? last.start + last.seconds : 0
}

/** Neighbours that are alike are one part of the bar. */
function drawPieces() {
  const waited = waitedPiece()
  const runs = []
  for (const [i, piece] of state.pieces.entries()) {
    const { seconds } = piece
    const kind = isPlayable(piece) ? 'there' : i === waited ? 'waited' : 'absent'
    const last = runs.at(-1)
    if (last?.kind === kind) last.seconds += seconds
    else runs.push({ kind, seconds })
  }
  part('pieces').replaceChildren(
    ...runs.map(({ kind, seconds }) => {
      const run = Object.assign(document.createElement('span'), { className: kind })
      run.style.flexGrow = seconds
      return run
    }),
  )
  const there = state.pieces.filter(isPlayable).length
  part('pieces').setAttribute(
    'aria-label',
    `${there} of ${state.pieces.length} pieces are rendered`,
  )
}

function drawMoment() {
  const share = video.currentTime / Math.max(lengthOf(state), Number.EPSILON)
  part('moment').style.left = `${Math.min(1, share) * 100}%`
}

function show() {
  part('name').textContent = state.name
  document.title = state.name
  if (state.pieces.length > 0) {
    part('film').hidden = false
    // A film that is complete has no parts to tell apart; the player's own bar is enough.
    part('parts').hidden = state.state === 'completed'
    drawPieces()
    drawMoment()
  }
  showStatus(describeState())
}

async function begin() {
  const library = document.documentElement.dataset.library
  const onLost = () => {
    isLost = true
    // Looks again at once: the film may have ended badly.
    if (state.state === 'completed') setTimeout(follow, pollMs)
  }
  const onUnplayable = () => {
    isUnplayable = true
    showFault('This browser cannot play the film.')
  }
  const playlist = `${film}/film.m3u8`
  player = await startPlayer(video, { playlist, library, onLost, onUnplayable })
  // Settles with the first picture, and the film may end badly before that. Browsers refuse where the
  // person has not touched the page; the controls are there.
  video.play().catch(() => {})
}

/** Follows the film until it has ended, well or badly. */
async function follow() {
  for (;;) {
    try {
      state = await readState()
      if (isUnplayable) return
      if (state.problem !== null) {
        part('name').textContent = state.name
        return showFault(state.problem)
      }
      show()
      if (state.pieces.length > 0 && player === undefined) await begin()
      if (isLost) player.again()
      isLost = false
      if (state.state === 'completed') return
    } catch (error) {
      if (!error.mayPass) return showFault(error.message)
      showStatus(error.message)
    }
    await new Promise((resolve) => setTimeout(resolve, document.hidden ? hiddenPollMs : pollMs))
  }
}

for (const name of ['timeupdate', 'seeking', 'progress', 'waiting', 'playing']) {
  video.addEventListener(name, () => {
    if (state?.pieces.length > 0 && !isUnplayable) show()
  })
}

part('bar').addEventListener('click', (event) => {
  const { left, width } = part('pieces').getBoundingClientRect()
  const share = Math.max(0, Math.min(1, (event.clientX - left) / width))
  video.currentTime = share * lengthOf(state)
})

const keys = {
  ' ': () => (video.paused ? video.play() : video.pause()),
  ArrowLeft: () => (video.currentTime -= 5),
  ArrowRight: () => (video.currentTime += 5),
  Home: () => (video.currentTime = 0),
  End: () => (video.currentTime = lengthOf(state)),
}
document.addEventListener('keydown', (event) => {
  // A video that has the focus has keys of its own.
  if (player === undefined || event.target === video || event.altKey || event.ctrlKey) return
  const act = event.metaKey ? undefined : keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
})

await follow()
