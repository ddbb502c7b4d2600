// The tree of a hierarchy and what can be done with it. It is kept as rows, each a value and its labels
// up to the top, so that the tree and the text are the same thing.

export const TOP = '*'

/** A node: a label on one level, or on several where it repeats itself. */
export interface Node {
  label: string
  /** The lowest and the highest level on which it stands. */
  low: number
  high: number
  /** Values below it. */
  leaves: string[]
  children: Node[]
}

export const keyOf = (node: { low: number; label: string }) => `${node.low} ${node.label}`

/** The same rows, ending in one label. */
export function topped(rows: string[][]): string[][] {
  const last = rows[0]?.at(-1)
  const has = (rows[0]?.length ?? 0) > 1 && rows.every((row) => row.at(-1) === last)
  return has ? rows : rows.map((row) => [...row, TOP])
}

/** The tree of rows that end in one label. */
export function treeOf(rows: string[][]): Node | undefined {
  const height = rows[0]?.length ?? 0
  if (!height) return undefined
  return grown(rows, height - 1)
}

function grown(rows: string[][], level: number): Node {
  const label = rows[0]?.[level] ?? ''
  const groups = new Map<string, string[][]>()
  for (const row of level > 0 ? rows : []) {
    const below = row[level - 1] ?? ''
    const group = groups.get(below)
    if (group) group.push(row)
    else groups.set(below, [row])
  }
  const children = [...groups.values()].map((group) => grown(group, level - 1))
  const [only] = children
  // A label that repeats itself is one node.
  if (children.length === 1 && only?.label === label) return { ...only, high: level }
  return { label, low: level, high: level, leaves: rows.map((row) => row[0] ?? ''), children }
}

/** The nodes above a node, the nearest first. */
export function pathTo(root: Node, node: Node): Node[] {
  if (root === node) return []
  const next = root.children.find((child) => child.high >= node.high && contains(child, node))
  return next ? [...pathTo(next, node), root] : []
}
const contains = (over: Node, node: Node): boolean => over === node || over.children.some((child) => contains(child, node))

const within = (node: Node) => (row: string[]) => row[node.low] === node.label

/** From which level on a row under `target` has its labels, where what is put there ends on level `low`. */
function labelsFrom(rows: string[][], target: Node, low: number): [number, string[]] {
  // What is put on a value stands beside it.
  const level = Math.max(target.low === 0 ? target.high + 1 : target.low, low + 1)
  return [level, rows.find(within(target))?.slice(level) ?? []]
}

/** Puts a node below another one; beside it, where that cannot be above it. */
export function move(rows: string[][], node: Node, target: Node): string[][] {
  const [level, labels] = labelsFrom(rows, target, node.low)
  const own = rows.filter(within(node)).map((row) => row.map((label, place) => (place <= node.low ? label : place < level ? node.label : (labels[place - level] ?? label))))
  const others = rows.filter((row) => !within(node)(row))
  const after = others.findLastIndex((row) => row[level] === labels[0]) + 1
  return after ? others.toSpliced(after, 0, ...own) : [...others, ...own]
}

/** Puts new values below a node. */
export function put(rows: string[][], values: string[], target: Node): string[][] {
  const [level, labels] = labelsFrom(rows, target, 0)
  const added = values.map((value) => [...Array<string>(level).fill(value), ...labels])
  const after = rows.findLastIndex((row) => row[level] === labels[0]) + 1
  return rows.toSpliced(after, 0, ...added)
}

export function rename(rows: string[][], node: Node, label: string): string[][] {
  return rows.map((row) => (within(node)(row) ? row.map((old, level) => (level >= Math.max(1, node.low) && level <= node.high ? label : old)) : row))
}

/** A new group around a node: on a level where it repeats itself, or on a new one. */
export function group(rows: string[][], node: Node, label: string): string[][] {
  const free = node.high > node.low
  return rows.map((row) => {
    const own = within(node)(row)
    if (free) return own ? row.map((old, level) => (level > node.low && level <= node.high ? label : old)) : row
    return row.toSpliced(node.low + 1, 0, own ? label : (row[node.low] ?? ''))
  })
}

/** Its children take the place of a node. */
export function dissolve(rows: string[][], node: Node): string[][] {
  const lifted = rows.map((row) => (within(node)(row) ? row.map((label, level) => (level >= node.low && level <= node.high ? (row[node.low - 1] ?? label) : label)) : row))
  const height = lifted[0]?.length ?? 0
  // A level on which nothing happens any more is none.
  const idle = Array.from({ length: height }, (_, level) => level > 0 && level < height - 1 && lifted.every((row) => row[level] === row[level - 1]))
  return lifted.map((row) => row.filter((_, level) => !idle[level]))
}

export function without(rows: string[][], node: Node): string[][] {
  return rows.filter((row) => !within(node)(row))
}
