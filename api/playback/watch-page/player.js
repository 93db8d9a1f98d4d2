// Plays a playlist in a video element: natively in Safari, elsewhere by hls.js.

const playlistType = 'application/vnd.apple.mpegurl'

/** Requests of pieces wait at the farm for up to 20 seconds, and are sent again for as long as it takes. */
const patient = {
  default: {
    maxTimeToFirstByteMs: 30_000,
    maxLoadTimeMs: 120_000,
    timeoutRetry: { maxNumRetry: 1_000, retryDelayMs: 0, maxRetryDelayMs: 0 },
    errorRetry: { maxNumRetry: 1_000, retryDelayMs: 1_000, maxRetryDelayMs: 2_000 },
  },
}

/** A decoder that fails again so soon was not helped by a new buffer. */
const hopelessMs = 5_000

/**
 * Begins to play. `onLost` is called when the player gave up; `again` lets it go on. `onUnplayable` is
 * called when this browser cannot decode the film.
 * @throws Error when this browser has no player
 */
export async function startPlayer(video, { playlist, library, onLost, onUnplayable }) {
  const isNative = video.canPlayType(playlistType) !== ''
  const hasBuffers = 'MediaSource' in window || 'ManagedMediaSource' in window
  // Other browsers that play such lists have begun to do so lately; hls.js waits longer than they do.
  if (isNative && (navigator.vendor.startsWith('Apple') || !hasBuffers)) {
    return playNatively(video, { playlist, onLost, onUnplayable })
  }
  if (!hasBuffers) throw new Error('This browser cannot play films while they render.')
  await loadScript(library)
  const { Hls } = window
  // Pieces are appended as they are: there is nothing that a worker could do.
  const hls = new Hls({ enableWorker: false, fragLoadPolicy: patient })
  let recovered = Number.NEGATIVE_INFINITY
  hls.on(Hls.Events.ERROR, (_name, { fatal, type }) => {
    if (!fatal) return
    if (type !== Hls.ErrorTypes.MEDIA_ERROR) return onLost()
    if (performance.now() - recovered < hopelessMs) {
      hls.destroy()
      return onUnplayable()
    }
    recovered = performance.now()
    hls.recoverMediaError()
  })
  endShortFilms(hls, video)
  hls.loadSource(playlist)
  hls.attachMedia(video)
  // Nothing can go on from a playlist that never came.
  return { again: () => (hls.levels.length > 0 ? hls.startLoad() : hls.loadSource(playlist)) }
}

/**
 * hls.js 1.7 does not tell the browser that a film with sound has ended before its picture is shown,
 * and a decoder keeps the pictures of a film of very few until it is told.
 */
function endShortFilms(hls, video) {
  const { BUFFER_EOS, FRAG_BUFFERED, MEDIA_DETACHING } = window.Hls.Events
  const ended = new Set()
  hls.on(MEDIA_DETACHING, () => ended.clear())
  hls.on(FRAG_BUFFERED, (_name, { frag }) => {
    if (frag.endList) ended.add(frag.type)
    const tracks = hls.audioTracks.length > 0 ? ['main', 'audio'] : ['main']
    if (video.readyState >= 2 || !tracks.every((track) => ended.has(track))) return
    if (isBufferedToEnd(video)) hls.trigger(BUFFER_EOS, {})
  })
}

/** After a seek, parts before the end may still be to come. Sound may end a packet or two apart. */
function isBufferedToEnd({ buffered, currentTime, duration }) {
  if (buffered.length !== 1) return false
  return buffered.start(0) <= currentTime && buffered.end(0) >= duration - 0.1
}

function playNatively(video, { playlist, onLost, onUnplayable }) {
  let isWanted = true
  let failed = Number.NEGATIVE_INFINITY
  video.addEventListener('play', () => (isWanted = true))
  video.addEventListener('pause', () => {
    // A player that gives up pauses, too.
    if (video.error === null) isWanted = false
  })
  video.addEventListener('error', () => {
    const { code, MEDIA_ERR_DECODE } = video.error
    if (code === MEDIA_ERR_DECODE && performance.now() - failed < hopelessMs) return onUnplayable()
    if (code === MEDIA_ERR_DECODE) failed = performance.now()
    onLost()
  })
  video.src = playlist
  const again = () => {
    const moment = video.currentTime
    const goesOn = isWanted
    video.load()
    const goOn = () => {
      video.currentTime = moment
      if (goesOn) video.play().catch(() => {})
    }
    video.addEventListener('loadedmetadata', goOn, { once: true })
  }
  return { again }
}

async function loadScript(src) {
  const script = Object.assign(document.createElement('script'), { src })
  await new Promise((resolve, reject) => {
    script.onload = resolve
    script.onerror = () => reject(new Error('The player cannot be loaded. Reload the page.'))
    document.head.append(script)
  })
}
