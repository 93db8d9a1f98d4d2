// Builds prefix codes for deflate (https://www.rfc-editor.org/rfc/rfc1951, 3.2.2).

const symbolsMax: i32 = 288
const lengthMax: i32 = 15
// Layout of an entry of `nodes`: the symbol in the low bits, its sort key above.
const symbolBits: u32 = 9
const symbolMask: u32 = (1 << symbolBits) - 1

const nodes: usize = memory.data(symbolsMax * 4)
// Number of codes of each length, and later the next code of that length.
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

// Sorts by count, then by symbol. Shellsort with Knuth's gaps, as there are few.
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

// Builds Huffman's tree in the place of the leaves (Moffat and Katajainen 1995): each inner node
// stores its parent.
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

// Counts the leaves of each depth. A leaf that lies too deep replaces a shallower one, which moves
// a step deeper, as in zlib and libdeflate.
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
 * Writes the code length of each of `symbols` symbols as a byte to `lengths`; 0 for unused ones.
 * `counts`: occurrences of each, a word each, together below 2 ** 23; at least two occur. `max`:
 * longest length in bits, at most 15.
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

/**
 * Writes a word for each symbol: its code's length in the lowest byte, and above it the code, first
 * bit lowest.
 */
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
