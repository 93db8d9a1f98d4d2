import { LRUCache } from 'lru-cache'
import type { Db } from '../../store/db/database.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { JobChanges } from '../jobs/job-changes.ts'
import { FilmChanges } from './film-changes.ts'
import { missing, NotYet, notYet } from './film-faults.ts'
import { FilmFiles } from './film-files.ts'
import { FilmLooks } from './film-looks.ts'
import { FilmTables } from './film-tables.ts'
import { type PieceFile, PieceMaker } from './piece-maker.ts'
import type { PlayableFilm } from './playable-film.ts'
import { filmPlaylist, type TrackName, trackPlaylist } from './playlist.ts'

/** Something of a film that a player asks for. */
export type PlayerFile =
  | { readonly kind: 'film' }
  | { readonly kind: 'playlist'; readonly track: TrackName }
  | PieceFile

/** Longest wait of a request for its piece; players ask again. */
const longestWaitMs = 20_000
const cachedBytes = 96 * 2 ** 20

type Job = { readonly accountId: string; readonly jobId: string }
type Wanted = { readonly jobId: string; readonly signal: AbortSignal }

/** A piece that is being made, and the players that wait for it. */
type Begun = { players: number; made: Promise<Buffer> }

/**
 * Gives players the films of jobs that may still be rendering. A playlist is complete as soon as the
 * film is planned. A piece that is not there is waited for, and its shard goes first among those of
 * its account. All that is given is kept for a while: many players of a film cost as much as one.
 */
export class Playback {
  readonly #looks: FilmLooks
  readonly #tables: FilmTables
  readonly #maker: PieceMaker
  readonly #changes: FilmChanges
  readonly #pieces = new LRUCache<string, Buffer>({
    ...{ maxSize: cachedBytes, sizeCalculation: ({ length }) => length + 1 },
  })
  readonly #begun = new Map<string, Begun>()
  /** Ends the wait of each player. */
  readonly #waits = new Set<(reason: unknown) => void>()
  #isStopped = false

  /** `db` sees all accounts: a signed address is the permission. */
  constructor({
    db,
    objects,
    changes,
  }: {
    db: Db
    objects: Pick<ObjectStore, 'read' | 'readRange'>
    changes: Pick<JobChanges, 'tell' | 'start'>
  }) {
    const files = new FilmFiles(objects)
    this.#tables = new FilmTables({ db, objects, files })
    this.#looks = new FilmLooks(db, this.#tables)
    this.#maker = new PieceMaker(files, this.#looks)
    this.#changes = new FilmChanges(changes)
  }

  /** @throws FarmError when there is no such film or piece, or it is not there in time */
  async give(file: PlayerFile, wanted: Wanted): Promise<string | Buffer> {
    const { jobId } = wanted
    const job = await this.#looks.job(jobId)
    const film = await this.#tables.read(jobId, job)
    if (file.kind === 'film') return filmPlaylist(film)
    if (file.track === 'sound' && !film.hasSound) throw missing('The film is silent. Got sound')
    if (file.kind === 'playlist') return trackPlaylist(film, file.track)
    if (file.kind === 'piece' && film.pieces[file.number] === undefined) {
      throw missing(`The film has ${film.pieces.length} pieces, from 0. Got ${file.number}`)
    }
    return await this.#shared(file, film, { ...wanted, accountId: job.accountId })
  }

  /** Answers all that wait that their pieces are not there yet: another api goes on. */
  stop(): void {
    this.#isStopped = true
    for (const end of this.#waits) end(notYet())
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The film's table of pieces, where a request has needed it before. */
  knownFilm(jobId: string): PlayableFilm | undefined {
    return this.#tables.known(jobId)
  }

  /** Undefined: not planned yet. @throws FarmError when there is no such film */
  async loadFilm(jobId: string): Promise<PlayableFilm | undefined> {
    try {
      return await this.#tables.read(jobId, await this.#looks.job(jobId))
    } catch (error) {
      if (error instanceof NotYet) return undefined
      throw error
    }
  }

  /** Finds segments that other jobs of the film's account have written: their digests. */
  async lent(
    job: { accountId: string; jobId: string },
    { fingerprints }: PlayableFilm,
  ): Promise<ReadonlySet<string>> {
    return await this.#looks.lent(job, fingerprints)
  }

  /** Lets players that ask for the same wait for the same. */
  async #shared(
    file: PieceFile,
    film: PlayableFilm,
    { jobId, accountId, signal }: Wanted & { accountId: string },
  ): Promise<Buffer> {
    const key = `${jobId}/${file.track}/${file.kind === 'piece' ? file.number : 'init'}`
    const known = this.#pieces.get(key)
    if (known) return known
    // It may have gone while the film's table was read.
    signal.throwIfAborted()
    if (this.#isStopped) throw notYet()
    const begun = this.#begun.get(key) ?? this.#begin(key, { file, film, jobId, accountId })
    begun.players += 1
    const { promise: ended, reject: end } = Promise.withResolvers<never>()
    ended.catch(() => undefined)
    this.#waits.add(end)
    signal.addEventListener('abort', () => end(signal.reason), { once: true })
    try {
      return await Promise.race([begun.made, ended])
    } finally {
      this.#waits.delete(end)
      begun.players -= 1
    }
  }

  #begin(
    key: string,
    { file, film, ...job }: { file: PieceFile; film: PlayableFilm } & Job,
  ): Begun {
    const begun: Begun = { players: 0, made: Promise.resolve(Buffer.alloc(0)) }
    begun.made = this.#make(file, film, { ...job, hasPlayers: () => begun.players > 0 })
      .then((bytes) => {
        this.#pieces.set(key, bytes)
        return bytes
      })
      .finally(() => this.#begun.delete(key))
    begun.made.catch(() => undefined)
    this.#begun.set(key, begun)
    return begun
  }

  async #make(
    file: PieceFile,
    known: PlayableFilm,
    { jobId, accountId, hasPlayers }: Job & { hasPlayers: () => boolean },
  ): Promise<Buffer> {
    const until = Date.now() + longestWaitMs
    let film = known
    for (;;) {
      // Awaited from before the look, so that no change between the two is lost.
      const change = this.#changes.next([jobId, ...this.#looks.lendersOf(jobId)])
      const made = await this.#maker.make(file, film, jobId)
      if (made) return made
      await change
      // Nothing is rendered first for players that have gone.
      if (!hasPlayers() || Date.now() > until) throw notYet()
      film = await this.#tables.again({ accountId, jobId }, film)
    }
  }
}
