import { effect } from '@preact/signals'
import { session } from '../session/session.ts'

/** Name of the browser's cache for pictures of templates. */
export const pictureStore = 'farm template pictures'

/** Empties the cache of pictures as soon as nobody is signed in, in whichever tab. */
export function emptyPictureStoreAtSignOut(): void {
  effect(() => {
    if (session.value !== 'signed out' || !('caches' in globalThis)) return
    // Storage that is off holds no pictures.
    caches.delete(pictureStore).catch(() => undefined)
  })
}
