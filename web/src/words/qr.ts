// QR codes of texts of up to 213 bytes: versions 1 to 10, correction level M, after ISO/IEC 18004.

/** Words of correction in a block, and blocks, by version. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5]
const ALIGNMENT = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]]
const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** Rows of dark modules. */
export function qr(text: string): boolean[][] {
  const bytes = [...new TextEncoder().encode(text)]
  let version = 1
  while (version <= 10 && dataWords(version) * 8 < bytes.length * 8 + 4 + lengthBits(version)) version += 1
  if (version > 10) throw new Error('the text is too long for a picture')
  const words = interleave(pad(bytes, version), version)
  let best: { modules: boolean[][]; penalty: number } | undefined
  for (const [number, mask] of MASKS.entries()) {
    const modules = draw(words, version, number, mask)
    const penalty = penaltyOf(modules)
    if (!best || penalty < best.penalty) best = { modules, penalty }
  }
  return best?.modules ?? []
}

const at = <T>(list: readonly T[], place: number): T => list[place] as T
const lengthBits = (version: number) => (version < 10 ? 8 : 16)

/** Modules that hold words, of data and of correction. */
function allWords(version: number): number {
  const side = version * 4 + 17
  let modules = side * side - 3 * 64 - 31 - 2 * (side - 16)
  const marks = at(ALIGNMENT, version - 1).length
  if (marks) modules -= (marks * marks - 3) * 25 - (marks - 2) * 10
  if (version >= 7) modules -= 36
  return Math.floor(modules / 8)
}
const dataWords = (version: number) => allWords(version) - at(CORRECTION, version - 1) * at(BLOCKS, version - 1)

/** The text as words: what it is, its length, itself, and filling. */
function pad(bytes: number[], version: number): number[] {
  const bits: number[] = []
  const add = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >> bit) & 1)
  }
  add(4, 4)
  add(bytes.length, lengthBits(version))
  for (const byte of bytes) add(byte, 8)
  const room = dataWords(version) * 8
  add(0, Math.min(4, room - bits.length))
  add(0, (8 - (bits.length % 8)) % 8)
  for (let fill = 0xec; bits.length < room; fill ^= 0xec ^ 0x11) add(fill, 8)
  const words: number[] = []
  for (let place = 0; place < bits.length; place += 8) words.push(bits.slice(place, place + 8).reduce((sum, bit) => sum * 2 + bit, 0))
  return words
}

/** Words of all blocks in turn, data first. */
function interleave(data: number[], version: number): number[] {
  const [blocks, correction] = [at(BLOCKS, version - 1), at(CORRECTION, version - 1)]
  const short = Math.floor(data.length / blocks)
  const longs = data.length % blocks
  let from = 0
  const parts = Array.from({ length: blocks }, (_, block) => {
    const length = short + (block >= blocks - longs ? 1 : 0)
    const part = data.slice(from, (from += length))
    return { part, check: remainder(part, correction) }
  })
  const words: number[] = []
  for (let place = 0; place <= short; place++) for (const { part } of parts) if (place < part.length) words.push(at(part, place))
  for (let place = 0; place < correction; place++) for (const { check } of parts) words.push(at(check, place))
  return words
}

/** Products in the field of 256 elements with x⁸ + x⁴ + x³ + x² + 1. */
function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((b >> bit) & 1) * a
  }
  return product
}

/** The words of correction of a block, after Reed and Solomon. */
function remainder(data: number[], length: number): number[] {
  const divisor = Array.from({ length }, (_, place): number => (place === length - 1 ? 1 : 0))
  let root = 1
  for (let round = 0; round < length; round++) {
    for (let place = 0; place < length; place++) divisor[place] = times(at(divisor, place), root) ^ (divisor[place + 1] ?? 0)
    root = times(root, 2)
  }
  const rest: number[] = Array.from({ length }, () => 0)
  for (const word of data) {
    const factor = word ^ (rest.shift() ?? 0)
    rest.push(0)
    for (let place = 0; place < length; place++) rest[place] = at(rest, place) ^ times(at(divisor, place), factor)
  }
  return rest
}

function draw(words: number[], version: number, number: number, mask: (x: number, y: number) => boolean): boolean[][] {
  const side = version * 4 + 17
  const modules = Array.from({ length: side }, () => Array.from({ length: side }, () => false))
  const fixed = modules.map((row) => row.map(() => false))
  const set = (x: number, y: number, dark: boolean) => {
    if (x < 0 || y < 0 || x >= side || y >= side) return
    at(modules, y)[x] = dark
    at(fixed, y)[x] = true
  }
  for (let place = 0; place < side; place++) {
    set(6, place, place % 2 === 0)
    set(place, 6, place % 2 === 0)
  }
  for (const [cx, cy] of [[3, 3], [side - 4, 3], [3, side - 4]] as const) {
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy))
        set(cx + dx, cy + dy, ring !== 2 && ring !== 4)
      }
  }
  const marks = at(ALIGNMENT, version - 1)
  const last = marks.length - 1
  for (const [i, x] of marks.entries())
    for (const [j, y] of marks.entries()) {
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) continue
      for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
    }
  drawFormat(set, side, number)
  if (version >= 7) drawVersion(set, side, version)

  let bit = 0
  for (let right = side - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < side; step++)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? side - 1 - step : step
        if (at(at(fixed, y), x)) continue
        const dark = bit < words.length * 8 && ((at(words, bit >> 3) >> (7 - (bit & 7))) & 1) === 1
        at(modules, y)[x] = dark !== mask(x, y)
        bit += 1
      }
  }
  return modules
}

type Set = (x: number, y: number, dark: boolean) => void

/** Correction level M is 00, then the mask. */
function drawFormat(set: Set, side: number, mask: number): void {
  let rest = mask
  for (let round = 0; round < 10; round++) rest = (rest << 1) ^ ((rest >> 9) * 0x537)
  const bits = ((mask << 10) | rest) ^ 0x5412
  const bit = (place: number) => ((bits >> place) & 1) === 1
  for (let place = 0; place <= 5; place++) set(8, place, bit(place))
  set(8, 7, bit(6))
  set(8, 8, bit(7))
  set(7, 8, bit(8))
  for (let place = 9; place < 15; place++) set(14 - place, 8, bit(place))
  for (let place = 0; place < 8; place++) set(side - 1 - place, 8, bit(place))
  for (let place = 8; place < 15; place++) set(8, side - 15 + place, bit(place))
  set(8, side - 8, true)
}

function drawVersion(set: Set, side: number, version: number): void {
  let rest = version
  for (let round = 0; round < 12; round++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25)
  const bits = (version << 12) | rest
  for (let place = 0; place < 18; place++) {
    const dark = ((bits >> place) & 1) === 1
    const [a, b] = [side - 11 + (place % 3), Math.floor(place / 3)]
    set(a, b, dark)
    set(b, a, dark)
  }
}

/** What makes a picture hard to read: runs, blocks, what looks like a corner, too much of one colour. */
function penaltyOf(modules: boolean[][]): number {
  const side = modules.length
  const columns = modules.map((_, x) => modules.map((row) => at(row, x)))
  let penalty = 0
  let dark = 0
  for (const row of [...modules, ...columns]) {
    const text = row.map((module) => (module ? '1' : '0')).join('')
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2
    for (const mark of ['10111010000', '00001011101']) {
      for (let from = text.indexOf(mark); from >= 0; from = text.indexOf(mark, from + 1)) penalty += 40
    }
  }
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const here = at(at(modules, y), x)
      if (here) dark += 1
      if (x + 1 < side && y + 1 < side) {
        const next = at(modules, y + 1)
        if (at(at(modules, y), x + 1) === here && next[x] === here && next[x + 1] === here) penalty += 3
      }
    }
  return penalty + Math.floor(Math.abs((dark * 20) / (side * side) - 10)) * 10
}
