/** Reads the bits of a NAL unit's payload, most significant first; Exp-Golomb codes as in H.264. */

export type BitReader = {
  /** An unsigned number of `count` bits, at most 32. */
  bits(count: number): number
  ue(): number
  se(): number
}

/** Reads a `payload` without emulation prevention bytes. @throws Error past its end */
export function readBits(payload: Buffer): BitReader {
  let at = 0
  const bit = () => {
    const byte = payload[at >> 3]
    if (byte === undefined) throw new Error('A NAL unit must not end here. It does')
    const value = (byte >> (7 - (at & 7))) & 1
    at += 1
    return value
  }
  const bits = (count: number) => {
    let value = 0
    for (let i = 0; i < count; i += 1) value = value * 2 + bit()
    return value
  }
  const ue = () => {
    let zeros = 0
    while (bit() === 0) zeros += 1
    return 2 ** zeros - 1 + bits(zeros)
  }
  return {
    bits,
    ue,
    se() {
      const code = ue()
      return code % 2 === 1 ? (code + 1) / 2 : -code / 2
    },
  }
}

export class BitWriter {
  readonly #bits: number[] = []

  bits(value: number, count: number): this {
    for (let i = count - 1; i >= 0; i -= 1) this.#bits.push(Math.floor(value / 2 ** i) % 2)
    return this
  }

  ue(value: number): this {
    const length = Math.floor(Math.log2(value + 1))
    return this.bits(0, length).bits(value + 1, length + 1)
  }

  se(value: number): this {
    return this.ue(value > 0 ? 2 * value - 1 : -2 * value)
  }

  /** Pads to a whole byte with `filler`. */
  align(filler: 0 | 1): this {
    while (this.#bits.length % 8 !== 0) this.#bits.push(filler)
    return this
  }

  /** Returns the bytes; a whole number of them must have been written. */
  bytes(): Buffer {
    const bytes = Buffer.alloc(this.#bits.length / 8)
    for (const [i, bit] of this.#bits.entries()) bytes[i >> 3] = ((bytes[i >> 3] ?? 0) << 1) | bit
    return bytes
  }
}

/** Returns a NAL unit's payload without emulation prevention bytes. */
export function withoutPrevention(nal: Buffer): Buffer {
  const plain: number[] = []
  let zeros = 0
  for (const byte of nal) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0
      continue
    }
    zeros = byte === 0 ? zeros + 1 : 0
    plain.push(byte)
  }
  return Buffer.from(plain)
}

/** Inserts a 3 wherever three bytes would look like a start code. */
export function withPrevention(payload: Buffer): Buffer {
  const safe: number[] = []
  let zeros = 0
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      safe.push(3)
      zeros = 0
    }
    zeros = byte === 0 ? zeros + 1 : 0
    safe.push(byte)
  }
  return Buffer.from(safe)
}
