import { LRUCache } from 'lru-cache'
import { ObjectMissingError, type ObjectStore } from '../../store/objects/object-store.ts'
import { type Mp4File, openLargeMp4, openSmallMp4 } from './mp4-file.ts'

/** Bytes of indexes with their tables, and of sounds. */
const cachedBytes = 128 * 2 ** 20

/**
 * Opens mp4 files of the store. Finished films and sounds are kept with their parsed tables: each of
 * their pieces needs them.
 */
export class FilmFiles {
  readonly #objects: Pick<ObjectStore, 'read' | 'readRange'>
  readonly #kept = new LRUCache<string, Mp4File>({
    ...{ maxSize: cachedBytes, sizeCalculation: ({ bytes }) => bytes },
  })
  /** Files that are being opened: players that ask for one at the same time share it. */
  readonly #opening = new Map<string, Promise<Mp4File>>()

  constructor(objects: Pick<ObjectStore, 'read' | 'readRange'>) {
    this.#objects = objects
  }

  /** Undefined: it has gone from the store. */
  async segment(key: string): Promise<Mp4File | undefined> {
    return await unlessMissing(openSmallMp4(this.#objects, key))
  }

  /** Undefined: it has gone from the store. */
  async sound(key: string): Promise<Mp4File | undefined> {
    return await unlessMissing(this.#keep(key, () => openSmallMp4(this.#objects, key)))
  }

  /** A finished film. */
  async film(key: string): Promise<Mp4File> {
    return await this.#keep(key, () => openLargeMp4(this.#objects, key))
  }

  async #keep(key: string, open: () => Promise<Mp4File>): Promise<Mp4File> {
    const known = this.#kept.get(key)
    if (known) return known
    const opening = this.#opening.get(key) ?? open().finally(() => this.#opening.delete(key))
    this.#opening.set(key, opening)
    const file = await opening
    this.#kept.set(key, file)
    return file
  }
}

async function unlessMissing(opening: Promise<Mp4File>): Promise<Mp4File | undefined> {
  try {
    return await opening
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined
    throw error
  }
}
