import type { CDPSession } from 'playwright-core'
import type { CodeClock } from './code-clock.ts'

/** Makes the frames of a page, each at the browser's tick that it is given, ms. */
export type Camera = {
  /** Its PNG, or `same` when it looks like the one before. */
  film: (tick: number) => Promise<Buffer | 'same'>
  /** A frame that is not to be seen. */
  skip: (tick: number) => Promise<void>
}

/** What changed at so many moments in a row is believed to change at the next. */
const changesInARow = 2
/** No picture takes exactly as long as another. */
const pictureSlack = 2

/**
 * A frame says whether anything was painted, and a second one of the same moment takes the picture: so a moment at rest
 * costs no picture (decision 0052). Of what keeps moving the frame is made with its picture at once (decision 0057);
 * code cannot tell, because the page itself makes no second frame of one tick.
 */
export function createCamera(session: CDPSession, clock: CodeClock): Camera {
  /** Of what is on the screen; undefined when none was taken of it. */
  let shown: Buffer | undefined
  let changes = 0
  /** What it took to take the last picture of a frame that was made before, ms. */
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
      // A page that has just got its size is seen in the picture of its second frame.
      if (changes < changesInARow) return lookFirst(tick)
      // Of this time the code has what is more than a picture alone takes.
      return compared(await clock.without(takePicture(session, tick), pictureMs * pictureSlack))
    },
    async skip(tick) {
      // Where nothing was painted, the browser never answers to a second frame of one tick without a picture.
      if (!(await paintFrame(session, tick))) return
      shown = undefined
      await paintFrame(session, tick)
    },
  }
}

/** Says whether anything was painted anew: then it is on the screen. Takes some 3 ms (decision 0014). */
async function paintFrame(session: CDPSession, frameTimeTicks: number): Promise<boolean> {
  const { hasDamage } = await session.send('HeadlessExperimental.beginFrame', { frameTimeTicks })
  return hasDamage
}

/** Costs some 11 ms a megapixel more. */
async function takePicture(session: CDPSession, frameTimeTicks: number): Promise<Buffer> {
  const screenshot = { format: 'png', optimizeForSpeed: true } as const
  const { screenshotData } = await session.send('HeadlessExperimental.beginFrame', {
    frameTimeTicks,
    screenshot,
  })
  // The clock asks for each frame, so there is always something to paint.
  if (!screenshotData) throw new Error('The browser must paint each frame. Got none')
  return Buffer.from(screenshotData, 'base64')
}
