import { FarmError } from '../../core/errors.ts'

type Keys = {
  readonly accessKey: string
  readonly secretKey: string
  readonly sessionToken: string | undefined
}

type Held = {
  readonly keys: Keys
  /** Milliseconds of the clock; infinite for credentials without an end. */
  readonly endsAt: number
  readonly renewAt: number
}

const rereadMs = 60_000
const requestHandler = { connectionTimeout: 5_000, requestTimeout: 10_000 }

/**
 * Credentials from the environment, in the order of AWS's SDKs: variables, the shared files, a web
 * identity, a container's endpoint, an instance's metadata. They are read again each minute;
 * temporary ones when half of their time is over. Credentials that cannot be renewed are used to
 * their end.
 */
export class AmbientCredentials {
  readonly #region: string
  #held: Held | undefined
  #reading: Promise<Held> | undefined

  /** `region`: region whose STS is used where AWS_REGION names none. */
  constructor(region: string) {
    this.#region = region
  }

  async keys(): Promise<Keys> {
    return (await this.#current()).keys
  }

  /** Returns the validity of a URL that is signed now: none outlives its credentials. */
  async urlSeconds(wanted: number): Promise<number> {
    const { endsAt } = await this.#current()
    return Math.max(1, Math.min(wanted, Math.floor((endsAt - Date.now()) / 1000)))
  }

  /** Forgets the credentials after a refusal, so that the next call reads them again. */
  forget(): void {
    this.#held = undefined
  }

  async #current(): Promise<Held> {
    const held = this.#held
    if (held !== undefined && Date.now() < held.renewAt) return held
    this.#reading ??= readAmbient(this.#region).finally(() => {
      this.#reading = undefined
    })
    try {
      this.#held = await this.#reading
    } catch (error) {
      if (held === undefined || Date.now() >= held.endsAt) throw error
      this.#held = { ...held, renewAt: Date.now() + rereadMs }
    }
    return this.#held
  }
}

async function readAmbient(bucketRegion: string): Promise<Held> {
  const region = process.env.AWS_REGION || bucketRegion
  try {
    // Loaded only where a URL has no key: it is large.
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
    // A new chain each time, because a chain caches its credentials, and so do its files.
    const found = await defaultProvider({
      ignoreCache: true,
      clientConfig: { region, requestHandler },
    })()
    const now = Date.now()
    const endsAt = found.expiration?.getTime() ?? Number.POSITIVE_INFINITY
    if (endsAt <= now) throw new Error('they have ended')
    const renewMs = found.expiration ? Math.max((endsAt - now) / 2, rereadMs) : rereadMs
    return {
      keys: {
        accessKey: found.accessKeyId,
        secretKey: found.secretAccessKey,
        sessionToken: found.sessionToken,
      },
      endsAt,
      renewAt: Math.min(now + renewMs, endsAt),
    }
  } catch (error) {
    throw new FarmError(
      'store_unavailable',
      "The object store's credentials must be in the environment, a shared file, or come from a web identity or instance metadata. None could be read",
      { cause: error },
    )
  }
}
