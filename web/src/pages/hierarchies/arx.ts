// Hierarchies in the layout of ARX: no header, a row a value, ever more general labels to its right.

/** A row and the line on which it begins. */
export interface Rows {
  rows: string[][]
  lines: number[]
}
export interface Fault {
  message: string
  place?: { line: number; column: number }
}

/** The most frequent delimiter outside of quotes on the first line. */
function sniff(text: string): string {
  const first = (/^(?:"(?:[^"]|"")*"|[^\n"])*/.exec(text)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '')
  const times = (delimiter: string) => first.split(delimiter).length
  return [';', '\t', ','].sort((a, b) => times(b) - times(a))[0] ?? ';'
}

/** Reads rows as the library does; empty lines are skipped. */
export function parse(text: string): Rows {
  const source = text.replace(/^\ufeff/, '')
  const delimiter = sniff(source)
  const [rows, lines]: [string[][], number[]] = [[], []]
  let [row, cell, quoted, line, begin]: [string[], string, boolean, number, number] = [[], '', false, 1, 1]
  const endRow = () => {
    row.push(cell.replace(/\r$/, ''))
    if (row.length > 1 || row[0]) {
      rows.push(row)
      lines.push(begin)
    }
    ;[row, cell] = [[], '']
  }
  for (let at = 0; at < source.length; at++) {
    const c = source[at] ?? ''
    if (quoted) {
      if (c === '"' && source[at + 1] === '"') at += 1
      else if (c === '"') {
        quoted = false
        continue
      }
      if (c === '\n') line += 1
      cell += c
    } else if (c === '"' && cell === '') quoted = true
    else if (c === delimiter) {
      row.push(cell)
      cell = ''
    } else if (c === '\n') {
      endRow()
      line += 1
      begin = line
    } else cell += c
  }
  if (cell || row.length) endRow()
  return { rows, lines }
}

/** Writes rows; what could be mistaken for a delimiter stands in quotes. */
export function format(rows: string[][]): string {
  const quoted = (cell: string) => (/[;,\t"\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return rows.map((row) => `${row.map(quoted).join(';')}\n`).join('')
}

/** Why rows are no tree, at most five reasons; the server says the same. */
export function faults({ rows, lines }: Rows): Fault[] {
  const found: Fault[] = []
  const at = (row: number, message: string) => {
    found.push({ message, place: { line: lines[row] ?? 1, column: 1 } })
  }
  if (!rows.length) return [{ message: 'there is no row: write each value, then ever more general labels' }]
  const height = rows[0]?.length ?? 0
  if (height > 64) at(0, 'there are more than 64 levels')
  const seen = new Set<string>()
  /** By level, and over all levels, since a label that is read back names one node. */
  const parents = new Map<string, string>()
  const above = new Map<string, string>()
  rows.forEach((row, place) => {
    if (row.length !== height) return at(place, `the row has ${row.length} labels, the first one ${height}`)
    if (seen.has(row[0] ?? '')) at(place, 'the value stands there twice')
    seen.add(row[0] ?? '')
    if (row.slice(1).some((label) => !label)) at(place, 'a label is empty')
    for (let level = 0; level + 1 < height; level++) {
      const [label, parent] = [row[level] ?? '', row[level + 1] ?? '']
      const key = `${level} ${label}`
      const known = parents.get(key) ?? parent
      const other = label === parent ? undefined : above.get(label)
      if (known !== parent || (other !== undefined && other !== parent)) return at(place, `“${label}” has a second parent here`)
      parents.set(key, parent)
      if (label !== parent) above.set(label, parent)
    }
  })
  for (const label of above.keys()) {
    const passed = new Set<string>()
    for (let next: string | undefined = label; next !== undefined; next = above.get(next)) {
      if (passed.has(next)) {
        at(rows.findIndex((row) => row.includes(label)), `“${label}” is above itself`)
        return found.slice(0, 5)
      }
      passed.add(next)
    }
  }
  return found.slice(0, 5)
}
