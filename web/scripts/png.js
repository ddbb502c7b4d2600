// Makes pictures of the browser small: at most 256 colours. Those that are there most often come first,
// and none is near another, so that no point differs more from its colour than that.
import { deflateSync, inflateSync, crc32 } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const COLOURS = 256

/** The same picture with a palette. */
export function small(png) {
  const has = png[SIGNATURE.length + 17] === 3
  if (has) return png
  const { width, height, pixels } = decode(png)
  const counts = new Map()
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = chosen([...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour))
  const places = new Map(palette.map((colour, place) => [colour, place]))
  const lines = Buffer.alloc((width + 1) * height)
  for (const [at, colour] of pixels.entries()) {
    if (!places.has(colour)) places.set(colour, nearest(palette, colour))
    lines[Math.floor(at / width) + at + 1] = places.get(colour)
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('PLTE', colours), chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))])
}

/** As many colours as a palette has: the least distance between them with which that is enough. */
function chosen(colours) {
  for (let least = 0; ; least = least * 1.3 + 1) {
    const palette = []
    for (const colour of colours) {
      if (palette.every((other) => distance(other, colour) > least)) palette.push(colour)
      if (palette.length > COLOURS) break
    }
    if (palette.length <= COLOURS) return palette
  }
}

function nearest(palette, colour) {
  let [best, least] = [0, Infinity]
  for (const [place, other] of palette.entries()) {
    const far = distance(other, colour)
    if (far < least) [best, least] = [place, far]
  }
  return best
}

/** The square of how far two colours are apart. */
function distance(one, other) {
  const [red, green, blue] = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255))
  return red ** 2 + green ** 2 + blue ** 2
}

function chunk(name, content) {
  const named = Buffer.concat([Buffer.from(name), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Colours of a picture as the browser writes it: 8 bits, without a palette, lines from above. */
function decode(png) {
  let [at, width, height, step] = [SIGNATURE.length, 0, 0, 0]
  const packed = []
  while (at < png.length) {
    const length = png.readUInt32BE(at)
    const name = png.toString('latin1', at + 4, at + 8)
    const content = png.subarray(at + 8, at + 8 + length)
    if (name === 'IHDR') {
      ;[width, height, step] = [content.readUInt32BE(0), content.readUInt32BE(4), { 2: 3, 6: 4 }[content[9]]]
      if (content[8] !== 8 || !step || content[12] !== 0) throw new Error('this is no picture of the browser')
    }
    if (name === 'IDAT') packed.push(content)
    at += length + 12
  }
  const plain = inflateSync(Buffer.concat(packed))
  const row = width * step
  const lines = new Uint8Array(row * height)
  for (let y = 0; y < height; y++) {
    const filter = plain[y * (row + 1)]
    for (let x = 0; x < row; x++) {
      const left = x >= step ? lines[y * row + x - step] : 0
      const up = y > 0 ? lines[(y - 1) * row + x] : 0
      const corner = x >= step && y > 0 ? lines[(y - 1) * row + x - step] : 0
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]
      lines[y * row + x] = plain[y * (row + 1) + 1 + x] + guess
    }
  }
  const pixels = Array.from({ length: width * height }, (_, at) => (lines[at * step] << 16) | (lines[at * step + 1] << 8) | lines[at * step + 2])
  return { width, height, pixels }
}

function paeth(left, up, corner) {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}
