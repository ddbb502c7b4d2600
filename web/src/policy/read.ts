// TOML with the places of everything in it, so that a form can change one value and leave the rest of
// a text, comments included, as somebody wrote it.
import type { Place } from '../api/problem'
import type { Value } from '../parts/schema'

/** A value, and where it stands. */
export interface Written {
  kind: 'leaf' | 'list' | 'inline'
  start: number
  end: number
  value: Value
}
/** Where a name of a table begins, and where its value ends. */
interface Spot {
  start: number
  end: number
}
/** A table of lines: the whole text, what a header opens, or what dotted names make. */
export interface Section {
  kind: 'section'
  entries: Map<string, Node>
  spots: Map<string, Spot>
  /** Where its header begins; none of the whole text and of dotted names. */
  header: number | undefined
  /** The end of its last line, after which another fits; none where there is no line of it. */
  last: number | undefined
  /** What stands before names of new lines, such as `a.` of dotted names. */
  prefix: string
}
/** Several tables under one name. */
export interface Sections {
  kind: 'sections'
  items: Section[]
}
export type Node = Written | Section | Sections

/** The text is no TOML. */
export class NotToml extends Error {
  readonly place: Place
  constructor(text: string, at: number) {
    super('the text is not TOML')
    this.place = placeOf(text, at)
  }
}

export function placeOf(text: string, at: number): Place {
  const before = text.slice(0, at)
  const line = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: [...before.slice(line)].length + 1 }
}

export const section = (header?: number, last?: number, prefix = ''): Section => ({ kind: 'section', entries: new Map(), spots: new Map(), header, last, prefix })

/** Reads a text. */
export function read(text: string): Section {
  return new Reader(text).all()
}

/** What a node holds, without places. */
export function valueOf(node: Node): Value {
  if (node.kind === 'sections') return node.items.map(valueOf)
  if (node.kind === 'section') return Object.fromEntries([...node.entries].map(([name, inner]) => [name, valueOf(inner)]))
  return node.value
}

/** The names that lead to what stands at a place. */
export function pathAt(root: Section, text: string, place: Place): (string | number)[] {
  const lines = text.split('\n')
  const before = lines.slice(0, place.line - 1).reduce((sum, line) => sum + line.length + 1, 0)
  const at = before + [...(lines[place.line - 1] ?? '')].slice(0, place.column - 1).join('').length
  return within(root, at)
}

function within(node: Section, at: number): (string | number)[] {
  for (const [name, inner] of node.entries) {
    if (inner.kind === 'section') {
      const path = within(inner, at)
      if (path.length || holds(inner, at)) return [name, ...path]
    } else if (inner.kind === 'sections') {
      for (const [place, one] of inner.items.entries()) {
        const path = within(one, at)
        if (path.length || holds(one, at)) return [name, place, ...path]
      }
    } else {
      const spot = node.spots.get(name)
      if (spot && at >= spot.start && at <= spot.end) return [name]
    }
  }
  return []
}
const holds = (one: Section, at: number) => one.header !== undefined && at >= one.header && at <= (one.last ?? one.header)

const NUMBER = /^[+-]?(0x[0-9a-f_]+|0o[0-7_]+|0b[01_]+|inf|nan|\d[\d_]*(\.\d[\d_]*)?(e[+-]?\d[\d_]*)?)$/i
const DATE = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$|^\d\d:\d\d(:\d\d(\.\d+)?)?$/i
const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b', '"': '"', '\\': '\\' }

class Reader {
  #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  all(): Section {
    const root = section(undefined, undefined)
    let current = root
    for (;;) {
      this.#skip(true)
      if (this.#at >= this.#text.length) return root
      current = this.#peek('[') ? this.#header(root) : (this.#line(current), current)
      this.#skip(false)
      if (this.#peek('\r')) this.#at += 1
      if (this.#at < this.#text.length && !this.#peek('\n')) this.#fail()
    }
  }

  #fail(at = this.#at): never {
    throw new NotToml(this.#text, at)
  }
  #peek(what: string): boolean {
    return this.#text.startsWith(what, this.#at)
  }
  #take(what: string): void {
    if (!this.#peek(what)) this.#fail()
    this.#at += what.length
  }
  /** Spaces and comments, and the ends of lines where these may be. */
  #skip(lines: boolean): void {
    const found = (lines ? /(?:[ \t\r\n]|#[^\n]*)*/y : /[ \t]*(?:#[^\n\r]*)?/y)
    found.lastIndex = this.#at
    this.#at += found.exec(this.#text)?.[0].length ?? 0
  }
  #spaces(): void {
    while (this.#peek(' ') || this.#peek('\t')) this.#at += 1
  }
  #endOfLine(): number {
    const at = this.#text.indexOf('\n', this.#at)
    return at < 0 ? this.#text.length : at
  }

  #header(root: Section): Section {
    const [start, several] = [this.#at, this.#peek('[[')]
    this.#take(several ? '[[' : '[')
    const names = this.#names()
    this.#take(several ? ']]' : ']')
    const last = names.pop() ?? ''
    let parent = root
    for (const name of names) {
      let inner = parent.entries.get(name)
      if (!inner) parent.entries.set(name, (inner = section()))
      if (inner.kind === 'sections') inner = inner.items.at(-1) as Section
      if (inner.kind !== 'section') this.#fail(start)
      parent = inner
    }
    const made = section(start, this.#endOfLine())
    const known = parent.entries.get(last)
    if (several) {
      if (!known) parent.entries.set(last, { kind: 'sections', items: [made] })
      else if (known.kind === 'sections') known.items.push(made)
      else this.#fail(start)
      return made
    }
    if (!known) parent.entries.set(last, made)
    else if (known.kind === 'section' && known.header === undefined && known.last === undefined) {
      Object.assign(known, { header: made.header, last: made.last })
      return known
    } else this.#fail(start)
    return made
  }

  #line(table: Section): void {
    const start = this.#at
    const names = this.#names()
    this.#take('=')
    this.#spaces()
    const value = this.#value()
    const end = this.#endOfLine()
    const last = names.pop() ?? ''
    let prefix = table.prefix
    table.last = end
    for (const name of names) {
      prefix += `${this.#text.slice(start).startsWith(name) ? name : JSON.stringify(name)}.`
      let inner = table.entries.get(name)
      if (!inner) table.entries.set(name, (inner = section(undefined, end, prefix)))
      if (inner.kind !== 'section') this.#fail(start)
      inner.last = end
      table = inner
    }
    this.#put(table.entries, last, value, start)
    table.spots.set(last, { start, end: value.end })
  }

  #put(entries: Map<string, Node>, name: string, value: Node, start: number): void {
    if (entries.has(name)) this.#fail(start)
    entries.set(name, value)
  }

  #names(): string[] {
    const names: string[] = []
    do {
      if (names.length) this.#at += 1
      this.#spaces()
      const bare = /[A-Za-z0-9_-]+/y
      bare.lastIndex = this.#at
      const found = bare.exec(this.#text)?.[0]
      if (found) this.#at += found.length
      names.push(found ?? this.#string(false))
      this.#spaces()
    } while (this.#peek('.'))
    return names
  }

  #value(): Written {
    const start = this.#at
    const made = (kind: Written['kind'], value: Value): Written => ({ kind, start, end: this.#at, value })
    if (this.#peek('[')) return made('list', this.#list())
    if (this.#peek('{')) return made('inline', this.#inline())
    if (this.#peek('"') || this.#peek("'")) return made('leaf', this.#string(true))
    const plain = /[A-Za-z0-9_+.:-]+(?: \d\d:[\d:.Z+-]+)?/y
    plain.lastIndex = start
    const word = plain.exec(this.#text)?.[0] ?? ''
    this.#at += word.length
    if (word === 'true' || word === 'false') return made('leaf', word === 'true')
    if (NUMBER.test(word)) return made('leaf', number(word.replaceAll('_', '')))
    if (DATE.test(word)) return made('leaf', word)
    return this.#fail(start)
  }

  #list(): Value[] {
    const items: Value[] = []
    this.#take('[')
    for (;;) {
      this.#skip(true)
      if (this.#peek(']')) break
      items.push(this.#value().value)
      this.#skip(true)
      if (this.#peek(',')) this.#at += 1
      else if (!this.#peek(']')) this.#fail()
    }
    this.#at += 1
    return items
  }

  #inline(): Record<string, Value> {
    const made: Record<string, Value> = {}
    this.#take('{')
    for (;;) {
      this.#skip(true)
      if (this.#peek('}')) break
      const start = this.#at
      const names = this.#names()
      this.#take('=')
      this.#spaces()
      const { value } = this.#value()
      let table = made
      const last = names.pop() ?? ''
      for (const name of names) table = (table[name] ??= {}) as Record<string, Value>
      if (last in table) this.#fail(start)
      table[last] = value
      this.#skip(true)
      if (this.#peek(',')) this.#at += 1
      else if (!this.#peek('}')) this.#fail()
    }
    this.#at += 1
    return made
  }

  #string(long: boolean): string {
    const quote = this.#text[this.#at] ?? ''
    if (quote !== '"' && quote !== "'") this.#fail()
    const fence = long && this.#peek(quote.repeat(3)) ? quote.repeat(3) : quote
    const start = this.#at
    this.#take(fence)
    if (fence.length > 1) this.#at += /^\r?\n/.exec(this.#text.slice(this.#at, this.#at + 2))?.[0].length ?? 0
    let made = ''
    while (!this.#peek(fence) || (fence.length > 1 && this.#peek(fence + quote))) {
      const letter = this.#text[this.#at]
      if (letter === undefined || (fence.length === 1 && letter === '\n')) this.#fail(start)
      if (letter === '\\' && quote === '"') made += this.#escape()
      else {
        made += letter
        this.#at += 1
      }
    }
    this.#at += fence.length
    return made
  }

  #escape(): string {
    const found = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|[ \t]*\r?\n\s*|([btnfre"\\]))/y
    found.lastIndex = this.#at
    const escape = found.exec(this.#text)
    if (!escape) this.#fail()
    this.#at += escape[0].length
    const code = escape[1] ?? escape[2] ?? escape[3]
    if (code) return String.fromCodePoint(parseInt(code, 16))
    return escape[4] ? (ESCAPES[escape[4]] ?? '') : ''
  }
}

function number(word: string): number {
  const plain = word.replace(/^\+/, '')
  if (/inf$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity
  return /nan$/i.test(plain) ? NaN : Number(plain)
}
