import { useEffect, useRef, useState } from 'preact/hooks'
import type { Job } from '../../../client/farm-client.ts'
import { playBuffered } from './buffered-film.ts'
import { Film } from './film.tsx'

/** Shows what there is of a job: its still, its film, the film while it renders, or the last picture. */
export function Player({ job }: { job: Job }) {
  const [live, setLive] = useState<string>()
  const { url, playlistUrl } = job
  const isRendering = url === null && job.state !== 'failed' && job.state !== 'cancelled'
  useEffect(() => {
    // A film that began to play while it rendered plays on; nothing is loaded twice.
    if (isRendering && playlistUrl) setLive((before) => before ?? playlistUrl)
  }, [isRendering, playlistUrl])

  if (job.type === 'image') {
    const still = url ?? job.previewUrl
    return still ? (
      <img class="player" src={still} alt={`Still ${job.name}`} />
    ) : (
      <Nothing job={job} />
    )
  }
  if (live && job.state !== 'failed' && job.state !== 'cancelled') {
    return <LiveFilm key={live} playlistUrl={live} job={job} />
  }
  if (url) return <DoneFilm key={job.id} job={job} url={url} />
  return <Nothing job={job} />
}

function DoneFilm({ job, url }: { job: Job; url: string }) {
  const video = useRef<HTMLVideoElement>(null)
  // Each reading of the job signs the address anew: a film that plays keeps the one that it has.
  const [src, setSrc] = useState(url)
  return (
    <Film
      {...{ video, src, frames: job.frames.total, poster: job.thumbnailUrl }}
      onError={() => setSrc(url)}
    />
  )
}

function LiveFilm({ playlistUrl, job }: { playlistUrl: string; job: Job }) {
  const video = useRef<HTMLVideoElement>(null)
  const [fault, setFault] = useState('')
  useEffect(() => {
    if (!video.current) return
    return playBuffered({
      video: video.current,
      playlistUrl,
      onFault: (error) => setFault(error.message),
    })
  }, [playlistUrl])
  return (
    <div class="live-film">
      <Film video={video} frames={job.frames.total} isLive />
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {job.url === null && (
        <p class="quiet">Plays while it renders. Seek to render that place first.</p>
      )}
    </div>
  )
}

function Nothing({ job }: { job: Job }) {
  if (job.previewUrl) return <img class="player" src={job.previewUrl} alt="Painted last" />
  return (
    <div class="player nothing">
      <p>{wordsOf(job)}</p>
    </div>
  )
}

function wordsOf(job: Job): string {
  if (job.outputExpiredAt) return 'The files are no longer kept.'
  if (job.state === 'failed') return 'The job failed; there is no film.'
  if (job.state === 'cancelled') return 'The job was cancelled.'
  return job.noPlaylistReason ?? 'No picture yet.'
}
