import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs addresses at which a film is played without an account. */
export type PlayLinks = {
  readonly publicUrl: string
  /** Shared by all replicas. */
  readonly secret: string
}

/** `expired`: the signature is ours, but its time is over. */
export type PlayPermission = 'granted' | 'expired' | 'refused'

/** Longest validity of an address; asking for the job makes a new one. */
const longestSeconds = 24 * 60 * 60

/** Returns the addresses of a film's playlist and page. They end with its files. */
export function signPlayLinks(
  { publicUrl, secret }: PlayLinks,
  { jobId, filesExpireAt, now }: { jobId: string; filesExpireAt: Date | null; now: Date },
): { readonly playlistUrl: string; readonly watchUrl: string } {
  const latest = now.getTime() / 1000 + longestSeconds
  const expires = Math.floor(Math.min(latest, (filesExpireAt?.getTime() ?? Infinity) / 1000))
  const grant = `${expires}-${signatureOf({ jobId, expires, secret })}`
  return {
    playlistUrl: `${publicUrl}/play/${jobId}/${grant}/film.m3u8`,
    watchUrl: `${publicUrl}/watch/${jobId}/${grant}`,
  }
}

/** Judges the grant in an address: `<unix seconds>-<signature>`. */
export function judgeGrant(
  { jobId, grant, now }: { jobId: string; grant: string; now: Date },
  secret: string,
): PlayPermission {
  const [, seconds = '', given = ''] = /^(\d{1,12})-([0-9a-f]{32})$/.exec(grant) ?? []
  const right = signatureOf({ jobId, expires: Number(seconds), secret })
  if (given.length !== right.length) return 'refused'
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(right))) return 'refused'
  return Number(seconds) * 1000 > now.getTime() ? 'granted' : 'expired'
}

/** 128 bits: as many as nobody guesses, in an address that people copy. */
const signatureDigits = 32

function signatureOf({
  jobId,
  expires,
  secret,
}: {
  jobId: string
  expires: number
  secret: string
}): string {
  const text = JSON.stringify(['play', jobId, expires])
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, signatureDigits)
}
