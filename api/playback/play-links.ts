import { makeGrant } from '../gateway/grants.ts'

/** Signs addresses that work without an account. */
export type PlayLinks = {
  readonly publicUrl: string
  /** Shared by all replicas. */
  readonly secret: string
}

/** Returns the addresses of a film's playlist and page. They end with its files. */
export function signPlayLinks(
  { publicUrl, secret }: PlayLinks,
  { jobId, filesExpireAt, now }: { jobId: string; filesExpireAt: Date | null; now: Date },
): { readonly playlistUrl: string; readonly watchUrl: string } {
  const grant = makeGrant({ kind: 'play', id: jobId }, { secret, endsAt: filesExpireAt, now })
  return {
    playlistUrl: `${publicUrl}/play/${jobId}/${grant}/film.m3u8`,
    watchUrl: `${publicUrl}/watch/${jobId}/${grant}`,
  }
}
