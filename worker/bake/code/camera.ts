import type { CDPSession } from 'playwright-core'
import type { CodeClock } from './code-clock.ts'

/** Makes the frames of a page, each at a given browser tick, ms. */
export type Camera = {
  /** Returns the frame's PNG, or `same` when it looks like the one before. */
  film: (tick: number) => Promise<Buffer | 'same'>
  /** Makes a frame that is not shown. */
  skip: (tick: number) => Promise<void>
}

/** After this many changes in a row, the next frame is expected to change too. */
const changesInARow = 2
/** Pictures vary in how long they take. */
const pictureSlack = 2

/**
 * Makes a frame without a picture first, which says whether anything was painted. Only then a
 * second frame at the same tick takes the picture, so a page at rest costs none (decision 0052).
 * While a page keeps moving, one frame does both (decision 0057). Code cannot notice: the page
 * itself makes no second frame of one tick.
 */
export function createCamera(session: CDPSession, clock: CodeClock): Camera {
  /** Last picture of the screen; undefined when none was taken. */
  let shown: Buffer | undefined
  let changes = 0
  /** Duration of the last picture of a frame that was made before, ms. */
  let pictureMs = 0

  const compared = (picture: Buffer) => {
    const isSame = shown?.equals(picture) ?? false
    changes = isSame ? 0 : changes + 1
    shown = picture
    return isSame ? 'same' : picture
  }
  const lookFirst = async (tick: number) => {
    const hasChanged = await paintFrame(session, tick)
    if (!hasChanged && shown) {
      changes = 0
      return 'same'
    }
    const since = performance.now()
    const picture = await clock.without(takePicture(session, tick))
    pictureMs = performance.now() - since
    return compared(picture)
  }
  return {
    async film(tick) {
      // The picture of the second frame shows a page that has just got its size.
      if (changes < changesInARow) return lookFirst(tick)
      // Custom code is charged only for the time beyond that of a plain picture.
      return compared(await clock.without(takePicture(session, tick), pictureMs * pictureSlack))
    },
    async skip(tick) {
      // When nothing was painted, the browser never answers a second frame of one tick without a
      // picture.
      if (!(await paintFrame(session, tick))) return
      shown = undefined
      await paintFrame(session, tick)
    },
  }
}

/** Makes a frame and returns whether anything was painted anew. Takes some 3 ms (decision 0014). */
async function paintFrame(session: CDPSession, frameTimeTicks: number): Promise<boolean> {
  const { hasDamage } = await session.send('HeadlessExperimental.beginFrame', { frameTimeTicks })
  return hasDamage
}

/** Makes a frame with a picture, which costs some 11 ms a megapixel more. */
async function takePicture(session: CDPSession, frameTimeTicks: number): Promise<Buffer> {
  const screenshot = { format: 'png', optimizeForSpeed: true } as const
  const { screenshotData } = await session.send('HeadlessExperimental.beginFrame', {
    frameTimeTicks,
    screenshot,
  })
  // The clock requests each frame, so there is always something to paint.
  if (!screenshotData) throw new Error('The browser must paint each frame. Got none')
  return Buffer.from(screenshotData, 'base64')
}
