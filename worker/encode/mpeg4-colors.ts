import { changeStreamHead } from '../mp4/movie-box.ts'

/**
 * Adds the missing colours to a segment's head: ffmpeg's MPEG-4 encoder writes none, and players
 * then assume an older matrix. It inserts (ISO 14496-2, 6.2.2 VisualObject) video_signal_type 1,
 * format unspecified, limited range, and BT.709 three times.
 */
export async function recordColors(segment: string): Promise<void> {
  await changeStreamHead(segment, (head) => {
    const at = head.indexOf(visualObject)
    const end = at + visualObject.length
    if (at < 0 || !head.subarray(end + 1, end + 2).equals(withoutColors)) {
      throw new Error(`A head of MPEG-4 must have no colours yet. Got ${head.toString('hex')}`)
    }
    return Buffer.concat([head.subarray(0, end + 1), withColors, head.subarray(end + 2)])
  })
}

const visualObject = Buffer.from([0, 0, 1, 0xb5])
/**
 * Follows a byte of version and priority: type video (0001), no signal type (0), stuffing (011).
 */
const withoutColors = Buffer.from([0b0001_0011])
/** 0001, 1, format 101, range 0, description 1, three times 00000001, stuffing 011111. */
const withColors = Buffer.from([0b0001_1101, 0b0100_0000, 0b0100_0000, 0b0100_0000, 0b0101_1111])
