// Changes of a policy's text that a form makes: one value at a time, and everything else, comments and
// their columns included, stays as somebody wrote it.
import type { Value } from '../parts/schema'
import { read, valueOf, type Node, type Section, type Written } from './read'

export type Path = (string | number)[]

/** The sections of a policy in the order in which people look for them. */
const ORDER = ['source', 'columns', 'rules', 'guarantee', 'levels', 'goal', 'protect', 'evolve', 'measure', 'sink', 'report']

/** Has `path` hold `value`, or nothing. */
export function edit(text: string, path: Path, value: Value | undefined): string {
  const node = find(read(text), path)
  const old = node && valueOf(node)
  if (same(old, value)) return text
  if (node && isTable(old) && isTable(value)) {
    const names = [...Object.keys(old), ...Object.keys(value).filter((name) => !(name in old))]
    return names.reduce((text, name) => edit(text, [...path, name], value[name]), text)
  }
  if (node?.kind === 'sections' && Array.isArray(value) && value.length && value.every(isTable)) {
    return editSections(text, path, value)
  }
  return set(text, path, value)
}

function editSections(text: string, path: Path, value: Value[]): string {
  const count = () => (find(read(text), path) as { items: Section[] }).items.length
  while (count() > value.length) text = cut(text, (find(read(text), path) as { items: Section[] }).items.at(-1) as Section)
  for (const [place, one] of value.entries()) {
    if (place < count()) text = edit(text, [...path, place], one)
    else {
      const at = (find(read(text), path) as { items: Section[] }).items.at(-1)?.last ?? text.length
      text = put(text, at, `\n\n${block(`[[${path.map(String).map(name).join('.')}]]`, one).trimEnd()}`)
    }
  }
  return text
}

function set(text: string, path: Path, value: Value | undefined): string {
  const root = read(text)
  // What stands in one line is written anew with the line.
  for (let depth = 1; depth < path.length; depth++) {
    const outer = find(root, path.slice(0, depth))
    if (outer && 'start' in outer) return replace(text, outer, written(changed(outer.value, path.slice(depth), value)))
  }
  const [parents, last] = [path.slice(0, -1), String(path.at(-1))]
  const [parent, node] = [find(root, parents), find(root, path)]
  if (value === undefined) return node && parent ? remove(text, parent, last, node) : text
  if (!parent) return edit(text, parents, { [last]: value })
  if (parent.kind !== 'section') return text
  if (node && 'start' in node) return replace(text, node, written(value))
  if (node) return set(remove(text, parent, last, node), path, value)
  const several = Array.isArray(value) && value.length > 0 && value.every(isTable)
  if (!parents.length && several) return addSection(text, root, last, (value as Value[]).map((one) => block(`[[${name(last)}]]`, one)).join('\n'))
  if (!parents.length && isTable(value)) return addSection(text, root, last, block(`[${name(last)}]`, value))
  const line = `${parent.prefix}${name(last)} = ${written(value)}`
  if (parent.last !== undefined) return put(text, parent.last, `\n${line}`)
  if (!parents.length) return `${line}\n${text}`
  return `${text.replace(/\n*$/, '\n')}\n[${parents.map(String).map(name).join('.')}]\n${line}\n`
}

function changed(of: Value, [key, ...rest]: Path, value: Value | undefined): Value {
  const inner = (of as Record<string, Value>)[key as string]
  const next = rest.length ? changed(inner ?? {}, rest, value) : value
  if (Array.isArray(of)) return of.flatMap((one, place) => (place !== key ? [one] : next === undefined ? [] : [next]))
  const { [key as string]: _, ...others } = of as Record<string, Value>
  if (next === undefined) return others
  return { ...(of as Record<string, Value>), [key as string]: next }
}

/** A value in place of another; a comment behind it keeps its column. */
function replace(text: string, { start, end }: Written, by: string): string {
  const spaces = /^[ \t]{2,}(?=#)/.exec(text.slice(end))?.[0].length ?? 0
  const kept = spaces ? ' '.repeat(Math.max(1, spaces - (by.length - (end - start)))) : ''
  return text.slice(0, start) + by + kept + text.slice(end + spaces)
}

function remove(text: string, parent: Node, last: string, node: Node): string {
  if (node.kind === 'sections') return [...node.items].reverse().reduce(cut, text)
  if (node.kind === 'section') {
    if (node.header !== undefined) return cut(text, node)
    return [...node.entries].reverse().reduce((text, [inner, of]) => remove(text, node, inner, of), text)
  }
  const spot = parent.kind === 'section' ? parent.spots.get(last) : undefined
  if (!spot) return text
  const from = text.lastIndexOf('\n', spot.start - 1) + 1
  const to = text.indexOf('\n', spot.end)
  return text.slice(0, from) + (to < 0 ? '' : text.slice(to + 1))
}

/** Without a section; comments that stand by themselves stay. */
function cut(text: string, one: Section): string {
  for (const inner of [...one.entries.values()].reverse()) {
    if (inner.kind === 'section' && inner.header !== undefined) text = cut(text, inner)
    if (inner.kind === 'sections') text = [...inner.items].reverse().reduce(cut, text)
  }
  const from = one.header ?? 0
  const rest = text.slice(one.last ?? from).replace(/^\n/, '')
  return text.slice(0, from) + (/(^|\n\n)$/.test(text.slice(0, from)) ? rest.replace(/^\n/, '') : rest)
}

const put = (text: string, at: number, what: string) => text.slice(0, at) + what + text.slice(at)

/** Puts a section before the first that comes later in a policy. */
function addSection(text: string, root: Section, of: string, what: string): string {
  const rank = (section: string) => (ORDER.includes(section) ? ORDER.indexOf(section) : ORDER.length)
  const later = [...root.entries].flatMap(([other, node]) => (rank(other) > rank(of) ? [firstHeader(node)] : []))
  const at = Math.min(...later.filter((at) => at !== undefined))
  if (!Number.isFinite(at)) return `${text.replace(/\n*$/, text.trim() ? '\n\n' : '')}${what}`
  // What is said just above a section belongs to it.
  const above = /(^|\n)((?:[ \t]*#[^\n]*\n)*)$/.exec(text.slice(0, at))?.[2]?.length ?? 0
  return put(text, at - above, `${what}\n`)
}

function firstHeader(node: Node): number | undefined {
  if (node.kind === 'sections') return node.items[0]?.header
  if (node.kind !== 'section') return undefined
  const inner = [...node.entries.values()].map(firstHeader)
  const known = [node.header, ...inner].filter((at) => at !== undefined)
  return known.length ? Math.min(...known) : undefined
}

function block(header: string, of: Value): string {
  const lines = Object.entries(of as Record<string, Value>).map(([key, value]) => `${name(key)} = ${written(value)}\n`)
  return `${header}\n${lines.join('')}`
}

/** What stands at a path; of what is inside of a line its value alone. */
function find(root: Section, path: Path): Node | undefined {
  let node: Node | undefined = root
  for (const [place, key] of path.entries()) {
    if (node?.kind === 'section') node = node.entries.get(String(key))
    else if (node?.kind === 'sections') node = node.items[Number(key)]
    else return node && inside(node.value, path.slice(place))
  }
  return node
}

function inside(value: Value | undefined, path: Path): Written | undefined {
  for (const key of path) value = (value as Record<string, Value> | undefined)?.[key as string]
  return value === undefined ? undefined : { kind: 'leaf', start: -1, end: -1, value }
}

export function isTable(value: unknown): value is Record<string, Value> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function same(a: Value | undefined, b: Value | undefined): boolean {
  if (isTable(a) && isTable(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...names].every((name) => same(a[name], b[name]))
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, place) => same(one, b[place]))
  return a === b
}

export const name = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key))

/** A value in one line. */
export function written(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007F')
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).replace('e+', 'e') : Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  if (!isTable(value)) return String(value)
  const parts = Object.entries(value).map(([key, inner]) => `${name(key)} = ${written(inner)}`)
  return parts.length ? `{ ${parts.join(', ')} }` : '{}'
}
