// Prefix codes as deflate has them (https://www.rfc-editor.org/rfc/rfc1951, 3.2.2).

const symbolsMax: i32 = 288
const lengthMax: i32 = 15
// Of an entry of `nodes`: the symbol, and above it what it is sorted by.
const symbolBits: u32 = 9
const symbolMask: u32 = (1 << symbolBits) - 1

const nodes: usize = memory.data(symbolsMax * 4)
// How many codes have each length, and later the next code of that length.
const ofLength: usize = memory.data((lengthMax + 2) * 4)

@inline
function node(at: i32): u32 {
  return load<u32>(nodes + (<usize>at << 2))
}

@inline
function setNode(at: i32, value: u32): void {
  store<u32>(nodes + (<usize>at << 2), value)
}

@inline
function countOf(length: i32): u32 {
  return load<u32>(ofLength + (<usize>length << 2))
}

@inline
function setCountOf(length: i32, value: u32): void {
  store<u32>(ofLength + (<usize>length << 2), value)
}

// The rarest first, and of those that are as rare the lowest symbol. By gaps (Shell, Knuth): they are few.
function sortNodes(count: i32): void {
  for (let gap = 121; gap > 0; gap = gap / 3) {
    for (let at = gap; at < count; at += 1) {
      const value = node(at)
      let to = at
      for (; to >= gap && node(to - gap) > value; to -= gap) setNode(to, node(to - gap))
      setNode(to, value)
    }
  }
}

// Huffman's tree in the place of the leaves (Moffat and Katajainen 1995): of each inner node, where its parent is.
function growTree(leaves: i32): void {
  let leaf = 0
  let inner = 0
  for (let made = 0; made < leaves - 1; made += 1) {
    let sum: u32 = 0
    for (let child = 0; child < 2; child += 1) {
      const isLeaf =
        leaf < leaves &&
        (inner >= made || node(leaf) >> symbolBits <= node(inner) >> symbolBits)
      const taken = isLeaf ? node(leaf) : node(inner)
      sum += taken & ~symbolMask
      if (isLeaf) leaf += 1
      else {
        setNode(inner, (<u32>made << symbolBits) | (taken & symbolMask))
        inner += 1
      }
    }
    setNode(made, sum | (node(made) & symbolMask))
  }
}

// How many leaves lie how deep. One that lies too deep takes the place of a shallower one, which goes a step deeper,
// as zlib and libdeflate do it.
function countLengths(leaves: i32, max: i32): void {
  memory.fill(ofLength, 0, (lengthMax + 2) * 4)
  setCountOf(1, 2)
  const root = leaves - 2
  setNode(root, node(root) & symbolMask)
  for (let at = root - 1; at >= 0; at -= 1) {
    const entry = node(at)
    let depth = <i32>(node(<i32>(entry >> symbolBits)) >> symbolBits) + 1
    setNode(at, (<u32>depth << symbolBits) | (entry & symbolMask))
    if (depth >= max) {
      depth = max - 1
      while (countOf(depth) == 0) depth -= 1
    }
    setCountOf(depth, countOf(depth) - 1)
    setCountOf(depth + 1, countOf(depth + 1) + 2)
  }
}

/**
 * Of each of `symbols` symbols how long its code is, a byte each at `lengths`; 0 for those that do not occur. `counts`:
 * how often each occurs, a word each, together below 2 ** 23; two at least occur. `max`: bits of the longest, 15 or
 * fewer.
 */
export function chooseLengths(counts: usize, symbols: i32, max: i32, lengths: usize): void {
  let used = 0
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const count = load<u32>(counts + (<usize>symbol << 2))
    if (count == 0) continue
    setNode(used, (count << symbolBits) | <u32>symbol)
    used += 1
  }
  sortNodes(used)
  growTree(used)
  countLengths(used, max)
  memory.fill(lengths, 0, symbols)
  let at = 0
  for (let length = max; length > 0; length -= 1) {
    for (let left = countOf(length); left > 0; left -= 1) {
      store<u8>(lengths + (node(at) & symbolMask), <u8>length)
      at += 1
    }
  }
}

function reversed(code: u32, length: u32): u32 {
  let bits: u32 = 0
  for (; length > 0; length -= 1) {
    bits = (bits << 1) | (code & 1)
    code >>= 1
  }
  return bits
}

/** Of each symbol its code's length in the lowest byte, and above it the code, its first bit lowest: a word each. */
export function makeCodes(lengths: usize, symbols: i32, codes: usize): void {
  memory.fill(ofLength, 0, (lengthMax + 2) * 4)
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const length = load<u8>(lengths + symbol)
    setCountOf(length, countOf(length) + 1)
  }
  let next: u32 = 0
  let shorter: u32 = 0
  for (let length = 1; length <= lengthMax; length += 1) {
    const count = countOf(length)
    next = (next + shorter) << 1
    shorter = count
    setCountOf(length, next)
  }
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    const length = load<u8>(lengths + symbol)
    const code = countOf(length)
    setCountOf(length, code + 1)
    const bits = length == 0 ? 0 : reversed(code, length)
    store<u32>(codes + (<usize>symbol << 2), (bits << 8) | length)
  }
}
