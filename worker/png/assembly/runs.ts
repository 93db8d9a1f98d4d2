// Deflates (https://www.rfc-editor.org/rfc/rfc1951) bytes that hardly repeat except in runs:
// literals, and runs of one byte as matches of distance 1. AssemblyScript, like rows.ts: `npm run
// png:bands` makes one program of both.
//
// A block is read once, which counts its symbols and records its runs, and is then written with the
// resulting codes. test/worker/png/runs.test.ts decodes it with node's zlib.

import { chooseLengths, makeCodes } from './codes'

const endOfBlock: i32 = 256
const literalCodes: i32 = 286
const fixedCodes: i32 = 288
const distanceCodes: i32 = 2
const lengthCodes: i32 = 19
const matchMin: usize = 3
const matchMax: usize = 258

// Bytes. In photographs and gradients, three equal ones are as cheap as literals.
const runMin: usize = 4
// Bytes of a shorter run are first counted as literals and then subtracted: that is cheaper than
// stopping there.
const longRun: usize = 64

// Bits. With one fewer than deflate allows, four literals and the pending bits fit 64.
const literalMax: i32 = 14
const lengthMax: i32 = 7

// Most symbols of a block: its codes take about 70 bytes, and fit the worse the longer it is. Half
// or twice as many change the size by a thousandth.
const blockSymbols: i32 = 32768
const storedMax: usize = 65535

// One word per symbol; literals have four counters each, so that equal neighbours do not wait for
// each other.
const counts: usize = memory.data(fixedCodes * 4)
const moreCounts: usize = memory.data(3 * 256 * 4)
const lengths: usize = memory.data(fixedCodes)
const codes: usize = memory.data(fixedCodes * 4)

// Encoding of `lengths`: symbols, each with its extra bits in the upper byte.
const steps: usize = memory.data((literalCodes + distanceCodes) * 2)
let stepsEnd: usize = steps
const stepCounts: usize = memory.data(lengthCodes * 4)
const stepLengths: usize = memory.data(lengthCodes)
const stepCodes: usize = memory.data(lengthCodes * 4)
const stepOrder: usize = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
])
// Number of entries of each kind that are written.
let usedLiterals: i32 = 0
let usedSteps: i32 = 0

// Runs of a block, two words each: the number of literals before it, and its bytes.
const runs: usize = memory.data((blockSymbols / 2 + 1) * 8)
let runsEnd: usize = runs

// Bytes of all blocks that are in no run.
export let alone: usize = 0

// Address of the next byte, and the pending bits of an incomplete one.
let out: usize = 0
let pending: u64 = 0
let pendingBits: u64 = 0

// Appends up to 56 bits, the lowest first.
@inline
function put(bits: u64, count: u64): void {
  pending |= bits << pendingBits
  pendingBits += count
  store<u64>(out, pending)
  out += <usize>(pendingBits >> 3)
  pending >>= pendingBits & 56
  pendingBits &= 7
}

@inline
function word(table: usize, at: usize): u32 {
  return load<u32>(table + (at << 2))
}

@inline
function add(table: usize, at: usize, more: u32): void {
  store<u32>(table + (at << 2), word(table, at) + more)
}

// Returns the number of extra bits of a match length.
@inline
function further(match: usize): u32 {
  const over = <u32>(match - matchMin)
  return over < 8 || over == 255 ? 0 : 29 - clz(over)
}

// https://www.rfc-editor.org/rfc/rfc1951, 3.2.5.
@inline
function symbolOf(match: usize): usize {
  const over = match - matchMin
  if (over < 8) return 257 + over
  if (over == 255) return 285
  const bits = <usize>further(match)
  return 261 + 4 * bits + ((over >> bits) & 3)
}

@inline
function furtherOf(symbol: i32): u32 {
  return symbol < 265 || symbol == 285 ? 0 : <u32>(symbol - 261) >> 2
}

// Returns a bit mask of the sixteen bytes that equal the byte before them.
@inline
function repeated(at: usize): u32 {
  return i8x16.bitmask(i8x16.eq(v128.load(at - 1), v128.load(at)))
}

// Returns the first byte of a run in [at, limit). It may go on beyond the limit.
function nextRun(at: usize, limit: usize): usize {
  let here = repeated(at)
  while (at < limit) {
    const next = repeated(at + 16)
    const both = here | (next << 16)
    const twice = both & (both >> 1)
    const starts = twice & (twice >> 2) & 0xffff
    if (starts != 0) return min(limit, at + ctz(starts))
    here = next
    at += 16
  }
  return limit
}

// Returns the end of the bytes equal to the one at `at`.
function endOfRun(at: usize, end: usize): usize {
  const value = v128.load8_splat(at)
  while (at < end) {
    const others = ~i8x16.bitmask(i8x16.eq(v128.load(at), value)) & 0xffff
    if (others != 0) return min(end, at + ctz(others))
    at += 16
  }
  return end
}

function countLiterals(from: usize, to: usize): void {
  for (; from + 8 <= to; from += 8) {
    const eight = load<u64>(from)
    add(counts, <usize>(eight & 255), 1)
    add(moreCounts, <usize>((eight >> 8) & 255), 1)
    add(moreCounts + 1024, <usize>((eight >> 16) & 255), 1)
    add(moreCounts + 2048, <usize>((eight >> 24) & 255), 1)
    add(counts, <usize>((eight >> 32) & 255), 1)
    add(moreCounts, <usize>((eight >> 40) & 255), 1)
    add(moreCounts + 1024, <usize>((eight >> 48) & 255), 1)
    add(moreCounts + 2048, <usize>(eight >> 56), 1)
  }
  for (; from < to; from += 1) add(counts, load<u8>(from), 1)
}

// Counts and returns the symbols of a run. A rest too short for a match becomes literals.
function countRun(value: usize, length: usize): usize {
  const whole = length / matchMax
  const rest = length % matchMax
  const isMatch = rest >= matchMin
  add(counts, symbolOf(matchMax), <u32>whole)
  add(counts, isMatch ? symbolOf(rest) : value, isMatch ? 1 : <u32>rest)
  return whole + (isMatch ? 1 : rest)
}

@inline
function note(literals: usize, run: usize): void {
  store<u32>(runsEnd, <u32>literals)
  store<u32>(runsEnd, <u32>run, 4)
  runsEnd += 8
  alone += literals
}

// Returns the end of the block. Its first byte is a literal, so every byte that runs has a code.
function readBlock(from: usize, end: usize): usize {
  memory.fill(counts, 0, fixedCodes * 4)
  memory.fill(moreCounts, 0, 3 * 256 * 4)
  runsEnd = runs
  let left: usize = blockSymbols
  let counted = from
  while (from < end && left > 0) {
    const limit = min(end, from + left)
    const lastRun = min(limit, end + 1 - runMin)
    const run = nextRun(from + 1, lastRun)
    if (run >= lastRun) {
      note(limit - from, 0)
      from = limit
      break
    }
    const next = endOfRun(run, end)
    const length = next - run
    const value = load<u8>(run)
    note(run - from, length)
    left -= min(left, run - from + countRun(value, length))
    from = next
    if (length < longRun) {
      add(counts, value, 0 - <u32>length)
      continue
    }
    countLiterals(counted, run)
    counted = next
  }
  countLiterals(counted, from)
  for (let literal: usize = 0; literal < 256; literal += 1) {
    const more = word(moreCounts, literal) + word(moreCounts, literal + 256)
    add(counts, literal, more + word(moreCounts, literal + 512))
  }
  add(counts, endOfBlock, 1)
  return from
}

@inline
function step(symbol: usize, times: usize, least: usize): void {
  store<u16>(stepsEnd, <u16>(symbol | ((times - least) << 8)))
  stepsEnd += 2
  add(stepCounts, symbol, 1)
}

// Encodes `count` lengths as steps: repeats of 0 and of the previous length take one step.
function readLengths(count: usize): void {
  memory.fill(stepCounts, 0, lengthCodes * 4)
  stepsEnd = steps
  for (let at: usize = 0; at < count; ) {
    const length = load<u8>(lengths + at)
    let next = at + 1
    while (next < count && load<u8>(lengths + next) == length) next += 1
    if (length > 0) {
      step(length, 0, 0)
      at += 1
    }
    while (next - at >= 3) {
      const times = min(next - at, length > 0 ? 6 : 138)
      if (length > 0) step(16, times, 3)
      else if (times > 10) step(18, times, 11)
      else step(17, times, 3)
      at += times
    }
    for (; at < next; at += 1) step(length, 0, 0)
  }
}

@inline
function furtherOfStep(symbol: u32): u32 {
  if (symbol < 16) return 0
  return symbol == 16 ? 2 : symbol == 17 ? 3 : 7
}

@inline
function fixedLength(symbol: i32): u32 {
  if (symbol < 144) return 8
  if (symbol < 256) return 9
  return symbol < 280 ? 7 : 8
}

// Chooses the block's own codes and their encoding; returns the bits that the encoding takes.
function chooseCodes(): usize {
  chooseLengths(counts, literalCodes, literalMax, lengths)
  makeCodes(lengths, literalCodes, codes)
  usedLiterals = literalCodes
  while (load<u8>(lengths + usedLiterals - 1) == 0) usedLiterals -= 1
  // Two distances of one bit each, as in zlib: some readers refuse an incomplete code.
  store<u16>(lengths + usedLiterals, 0x0101)
  readLengths(usedLiterals + distanceCodes)
  store<u16>(lengths + usedLiterals, 0)
  chooseLengths(stepCounts, lengthCodes, lengthMax, stepLengths)
  makeCodes(stepLengths, lengthCodes, stepCodes)
  usedSteps = lengthCodes
  while (load<u8>(stepLengths + load<u8>(stepOrder + usedSteps - 1)) == 0) usedSteps -= 1
  let bits: usize = 14 + 3 * usedSteps
  for (let symbol = 0; symbol < lengthCodes; symbol += 1) {
    bits += word(stepCounts, symbol) * (load<u8>(stepLengths + symbol) + furtherOfStep(symbol))
  }
  return bits
}

// Returns the bits of a block's symbols, with its own codes or with the fixed ones.
function bitsOfSymbols(isFixed: bool): usize {
  let bits: usize = 0
  for (let symbol = 0; symbol < literalCodes; symbol += 1) {
    const own = isFixed ? fixedLength(symbol) : load<u8>(lengths + symbol)
    const distance: u32 = symbol <= endOfBlock ? 0 : isFixed ? 5 : 1
    bits += word(counts, symbol) * (own + distance + furtherOf(symbol))
  }
  return bits
}

function putCodes(): void {
  put((usedLiterals - 257) | ((distanceCodes - 1) << 5) | ((usedSteps - 4) << 10), 14)
  for (let at = 0; at < usedSteps; at += 1) put(load<u8>(stepLengths + load<u8>(stepOrder + at)), 3)
  for (let at = steps; at < stepsEnd; at += 2) {
    const symbol = load<u8>(at)
    const code = word(stepCodes, symbol)
    put(code >> 8, code & 255)
    put(load<u8>(at, 1), furtherOfStep(symbol))
  }
}

@inline
function putSymbol(symbol: usize): void {
  const code = word(codes, symbol)
  put(code >> 8, code & 255)
}

// Returns a literal's code, with its length in the lowest byte. `literalByFour`: other bits are
// masked out.
@inline
function codeOf(literalByFour: u64): u64 {
  return load<u32>(<usize>(literalByFour & 1020), codes)
}

// Writes literals by fours. Bytes after the last literal are read, and not written.
function putLiterals(from: usize, to: usize): void {
  let bits = pending
  let count = pendingBits
  let at = out
  for (; from < to; from += 4) {
    const four = <u64>load<u32>(from)
    const a = codeOf(four << 2)
    const b = codeOf(four >> 6)
    const c = codeOf(four >> 14)
    const d = codeOf(four >> 22)
    // Combined in pairs, so that they do not wait for each other. A shift uses only the lowest six
    // bits of its count.
    const early = (a >> 8) | ((b >> 8) << a)
    const late = (c >> 8) | ((d >> 8) << c)
    let all = early | (late << (a + b))
    let length = (a + b + c + d) & 255
    if (from + 4 > to) {
      const left = to - from
      length = (a + (left > 1 ? b : 0) + (left > 2 ? c : 0)) & 255
      all &= (<u64>1 << length) - 1
    }
    bits |= all << count
    count += length
    store<u64>(at, bits)
    at += <usize>(count >> 3)
    bits >>= count & 56
    count &= 7
  }
  pending = bits
  pendingBits = count
  out = at
}

function putRun(value: usize, length: usize, distanceBits: u32): void {
  const literalBits = word(codes, value) & 255
  while (length >= matchMin) {
    const match = min(length, matchMax)
    const code = word(codes, symbolOf(match))
    const codeBits = code & 255
    const moreBits = further(match)
    const more = <u32>(match - matchMin) & ((1 << moreBits) - 1)
    const bits = codeBits + moreBits + distanceBits
    // A short run of a frequent byte is cheaper as literals.
    if (<u32>match * literalBits <= bits) break
    put((code >> 8) | (more << codeBits), bits)
    length -= match
  }
  for (; length > 0; length -= 1) putSymbol(value)
}

function putSymbols(from: usize, distanceBits: u32): void {
  for (let at = runs; at < runsEnd; at += 8) {
    const run = from + load<u32>(at)
    putLiterals(from, run)
    from = run + load<u32>(at, 4)
    if (from > run) putRun(load<u8>(run), from - run, distanceBits)
  }
  putSymbol(endOfBlock)
}

// Writes a stored block. `length`: 65535 at most. The next block begins at a whole byte.
function putStored(from: usize, length: usize): void {
  put(0, 3)
  put(0, (8 - pendingBits) & 7)
  put(length | ((length ^ 0xffff) << 16), 32)
  memory.copy(out, from, length)
  out += length
}

// Returns whether the block ended at a whole byte.
function putBlock(from: usize, to: usize, isLast: bool): bool {
  const length = to - from
  const own = chooseCodes() + bitsOfSymbols(false)
  const fixed = bitsOfSymbols(true)
  const toWholeByte: usize = isLast ? 40 : 0
  if (length <= storedMax && (length << 3) + 40 <= min(own, fixed) + toWholeByte) {
    putStored(from, length)
    return true
  }
  // Marks the block as not the last, and its kind.
  if (own < fixed) {
    put(0b100, 3)
    putCodes()
    putSymbols(from, 1)
    return false
  }
  put(0b010, 3)
  for (let symbol = 0; symbol < fixedCodes; symbol += 1) {
    store<u8>(lengths + symbol, <u8>fixedLength(symbol))
  }
  makeCodes(lengths, fixedCodes, codes)
  putSymbols(from, 5)
  return false
}

/** The program uses the memory below. */
export const freeFrom: usize = __heap_base

/**
 * Deflates `length` bytes at `from` to `to` in blocks, none of them the last, padded to a whole
 * byte so that others may follow. Returns the bytes written: at most 9 for each 8 and 64 more. It
 * reads up to 32 bytes beyond the end, and writes up to 8.
 */
export function packRuns(from: usize, length: usize, to: usize): usize {
  out = to
  pending = 0
  pendingBits = 0
  alone = 0
  let isWhole = true
  for (const end = from + length; from < end; ) {
    const next = readBlock(from, end)
    isWhole = putBlock(from, next, next == end)
    from = next
  }
  if (!isWhole) putStored(from, 0)
  return out - to
}
