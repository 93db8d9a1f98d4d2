import type { BitWriter } from './bits.ts'

/**
 * Arithmetic coder of ITU-T H.264 9.3.4.2, reduced to a picture that repeats the one before: it
 * codes only "skipped" for each macroblock, which its context comes to expect.
 */

/**
 * rangeTabLPS (table 9-44) from state 44 on. With cabac_init_idc 2 and a quantiser of 51 the
 * context of mb_skip_flag begins there, "skipped" being likely, and only goes up.
 */
const firstState = 44
const lpsRanges = [
  [14, 18, 21, 24],
  [14, 17, 20, 23],
  [13, 16, 19, 22],
  [12, 15, 18, 21],
  [12, 14, 17, 20],
  [11, 14, 16, 19],
  [11, 13, 15, 18],
  [10, 12, 15, 17],
  [10, 12, 14, 16],
  [9, 11, 13, 15],
  [9, 11, 12, 14],
  [8, 10, 12, 14],
  [8, 9, 11, 13],
  [7, 9, 11, 12],
  [7, 9, 10, 12],
  [7, 8, 10, 11],
  [6, 8, 9, 11],
  [6, 7, 9, 10],
  [6, 7, 8, 9],
] as const

export const skipCabac = { initIdc: 2, qp: 51 } as const

/**
 * Writes slice data in which all macroblocks are skipped, with the stop bit. `to` must be aligned.
 */
export function writeSkips(to: BitWriter, macroblocks: number): void {
  const coder = new Coder(to)
  let state = firstState
  for (let i = 1; i <= macroblocks; i += 1) {
    coder.likely(state)
    state = Math.min(firstState + lpsRanges.length - 1, state + 1)
    if (i < macroblocks) coder.goOn()
  }
  coder.finish()
}

class Coder {
  readonly #to: BitWriter
  #low = 0
  #range = 510
  #outstanding = 0
  #isFirst = true

  constructor(to: BitWriter) {
    this.#to = to
  }

  /** Codes the more likely value of the context in this state. */
  likely(state: number): void {
    this.#range -= lpsRanges[state - firstState]?.[(this.#range >> 6) & 3] ?? 0
    this.#renormalise()
  }

  /** end_of_slice_flag 0. */
  goOn(): void {
    this.#range -= 2
    this.#renormalise()
  }

  /** end_of_slice_flag 1; the last bit written is rbsp_stop_one_bit. */
  finish(): void {
    this.#range -= 2
    this.#low += this.#range
    this.#range = 2
    this.#renormalise()
    this.#put((this.#low >> 9) & 1)
    this.#to.bits(((this.#low >> 7) & 3) | 1, 2)
  }

  #renormalise(): void {
    while (this.#range < 256) {
      if (this.#low < 256) this.#put(0)
      else if (this.#low >= 512) {
        this.#low -= 512
        this.#put(1)
      } else {
        this.#low -= 256
        this.#outstanding += 1
      }
      this.#range *= 2
      this.#low *= 2
    }
  }

  #put(bit: number): void {
    if (this.#isFirst) this.#isFirst = false
    else this.#to.bits(bit, 1)
    for (; this.#outstanding > 0; this.#outstanding -= 1) this.#to.bits(1 - bit, 1)
  }
}
