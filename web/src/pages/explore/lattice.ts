// Recodings as a picture: those that lose more detail stand higher, and lines join neighbours.
import type { Lattice } from '../../api/results'
import type { Value } from '../../parts/schema'
import { edit } from '../../policy/edit'
import { percent } from '../../words/format'
import { table, type Table } from '../protect/form'

export interface Node {
  id: string
  levels: number[]
  holds: boolean
  best: boolean
  loss: number | null
  /** How much it generalises, in levels together. */
  height: number
  /** Its place from the left among those of its height. */
  place: number
}

const MOST = 80

/** Nodes by height, the most general first; those that lose least are in it where there are many. */
export function nodesOf(found: Lattice, all: boolean): Node[] {
  const kept = all ? found.best : found.best.slice(0, MOST)
  const made = [
    ...kept.map((one, place) => ({ ...one, holds: true, best: place === 0 })),
    ...(all ? found.below : found.below.slice(0, MOST)).map((one) => ({ ...one, holds: false, best: false })),
  ]
  const nodes = made.map((one) => ({ ...one, id: one.levels.join('.'), height: one.levels.reduce((sum, level) => sum + level, 0), place: 0 }))
  nodes.sort((a, b) => b.height - a.height || a.levels.join().localeCompare(b.levels.join(), 'en', { numeric: true }))
  let last: Node | undefined
  for (const node of nodes) {
    node.place = last?.height === node.height ? last.place + 1 : 0
    last = node
  }
  return nodes
}

/** Whether one is just above the other: one level more of one column. */
export function isAbove(one: Node, other: Node): boolean {
  const steps = one.levels.map((level, place) => level - (other.levels[place] ?? 0))
  return steps.filter((step) => step !== 0).length === 1 && steps.includes(1)
}

/** Where an arrow leads: to a neighbour where there is one, else to the nearest of the next height. */
export function towards(nodes: Node[], from: Node, key: string): Node | undefined {
  if (key === 'Home') return nodes[0]
  if (key === 'End') return nodes.at(-1)
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const step = key === 'ArrowRight' ? 1 : -1
    return nodes.find((node) => node.height === from.height && node.place === from.place + step)
  }
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined
  const isUp = key === 'ArrowUp'
  const heights = nodes.map((node) => node.height).filter((height) => (isUp ? height > from.height : height < from.height))
  if (!heights.length) return undefined
  const next = isUp ? Math.min(...heights) : Math.max(...heights)
  const row = nodes.filter((node) => node.height === next)
  const near = row.find((node) => (isUp ? isAbove(node, from) : isAbove(from, node)))
  return near ?? row.sort((a, b) => Math.abs(a.place - from.place) - Math.abs(b.place - from.place))[0]
}

export function told(found: Lattice, node: Node): string {
  const levels = found.columns.map((column, place) => `${column} ${node.levels[place] ?? 0}`).join(', ')
  const end = node.holds ? `holds${node.loss === null ? '' : `, loses ${percent(node.loss)}`}` : 'does not hold'
  return `${levels}: ${end}${node.best ? ', the best' : ''}`
}

export function sentence(found: Lattice): string {
  const [best] = found.best
  const proof = found.gap === 0 ? 'it is proven that none loses less' : `another could lose ${percent(found.gap)} less`
  if (!best) return `None of the ${found.looked_at} recodings that were looked at keeps the promises.`
  return `${found.looked_at} of ${found.nodes} recodings were looked at; the best loses ${percent(best.loss)}, and ${proof}.`
}

/** The policy with one recoding to look at: each column has the level that it must have. */
export function fixed(text: string, policy: Table, found: Lattice, levels: number[]): string {
  const steps = Array.isArray(policy['protect']) ? policy['protect'].map(table) : []
  const at = Math.max(0, steps.findIndex((step) => step['method'] === 'lattice'))
  const named: Record<string, Value> = Object.fromEntries(found.columns.map((column, place) => [column, levels[place] ?? 0]))
  return edit(text, ['protect', at], { ...steps[at], method: 'lattice', levels: named })
}
