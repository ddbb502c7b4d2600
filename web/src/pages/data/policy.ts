// Texts of policies as far as these pages change them: the role and the hierarchy of a column, which
// stand on one line, and what the first promise says of them. All else stays as it is written.
import type { Profile } from '../../api/results'

/** What a column means for privacy. */
export interface RoleInfo {
  word: string
  letter: string
  meaning: string
}

export const ROLES: readonly RoleInfo[] = [
  { word: 'identifier', letter: 'D', meaning: 'names a person outright: never released' },
  { word: 'quasi', letter: 'Q', meaning: 'an outsider could know it, and find a person by several of these' },
  { word: 'sensitive', letter: 'S', meaning: 'must not be learnt about a person' },
  { word: 'subject', letter: 'U', meaning: 'tells which rows are of one person; one column, not released' },
  { word: 'class', letter: 'C', meaning: 'the label that a learner predicts; released' },
  { word: 'items', letter: 'I', meaning: 'one of the items of a person, such as purchases' },
  { word: 'time', letter: 'T', meaning: 'when it happened' },
  { word: 'key', letter: 'K', meaning: 'joins rows of several sites' },
  { word: 'plain', letter: 'P', meaning: 'no outsider can know it: released as it is' },
  { word: 'drop', letter: 'X', meaning: 'neither read nor released' },
]

export function roleInfo(word: string): RoleInfo {
  return ROLES.find((role) => role.word === word) ?? { word, letter: '?', meaning: 'a role that this page does not know' }
}

/** A column of a policy: its line, cut in pieces. */
interface ColumnLine {
  line: number
  column: string
  /** The name as it is written, with what is around it. */
  before: string
  entries: [string, string][]
  /** What stands behind the table, such as a comment. */
  after: string
}

const NAME = /^(\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\s*=\s*)\{/

/** The columns whose tables stand on one line. */
export function columnLines(policy: string): ColumnLine[] {
  const found: ColumnLine[] = []
  let within = false
  for (const [line, text] of policy.split('\n').entries()) {
    if (/^\s*\[/.test(text)) within = /^\s*\[columns\]/.test(text)
    const name = within ? NAME.exec(text) : null
    const end = name ? closing(text, name[0].length - 1) : -1
    if (!name?.[1] || end < 0) continue
    const entries = split(text.slice(name[0].length, end))
    found.push({ line, column: unquoted(name[1]), before: name[1], entries, after: text.slice(end + 1) })
  }
  return found
}

function unquoted(before: string): string {
  const name = before.replace(/\s*=\s*$/, '').trim()
  if (name.startsWith("'")) return name.slice(1, -1)
  if (!name.startsWith('"')) return name
  try {
    return JSON.parse(name) as string
  } catch {
    return name.slice(1, -1)
  }
}

/** Calls `see` for each character outside of quotes, with how deep it is, until it says stop. */
function walk(text: string, from: number, see: (at: number, depth: number) => boolean): number {
  let [depth, quote] = [0, '']
  for (let at = from; at < text.length; at++) {
    const c = text[at] ?? ''
    if (quote) {
      if (c === '\\' && quote === '"') at += 1
      else if (c === quote) quote = ''
      continue
    }
    if (c === '"' || c === "'") quote = c
    else if ('{['.includes(c)) depth += 1
    else if ('}]'.includes(c)) depth -= 1
    if (see(at, depth)) return at
  }
  return -1
}

const closing = (text: string, open: number) => walk(text, open, (_, depth) => depth === 0)

function split(inner: string): [string, string][] {
  const cuts = [-1]
  walk(inner, 0, (at, depth) => {
    if (inner[at] === ',' && depth === 0) cuts.push(at)
    return false
  })
  const parts = cuts.map((cut, place) => inner.slice(cut + 1, cuts[place + 1]).trim()).filter(Boolean)
  return parts.map((part) => {
    const at = part.indexOf('=')
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()]
  })
}

const written = ({ before, entries, after }: ColumnLine) => `${before}{ ${entries.map(([key, value]) => `${key} = ${value}`).join(', ')} }${after}`

/** The same policy with another hierarchy of a column; nothing where its line is not found. */
export function withHierarchy(policy: string, column: string, hierarchy: string): string | undefined {
  const found = columnLines(policy).find((one) => one.column === column)
  if (!found) return undefined
  const entries = found.entries.filter(([key]) => key !== 'hierarchy')
  // What becomes labels is read as labels: a number would lose its leading zeros.
  if (/\b(mask|path)\b/.test(hierarchy) && !entries.some(([key]) => key === 'type')) entries.push(['type', '"category"'])
  const lines = policy.split('\n')
  lines[found.line] = written({ ...found, entries: [...entries, ['hierarchy', hierarchy]] })
  return lines.join('\n')
}

/** The first policy of a profile with the roles and the k that somebody has chosen. */
export function firstPolicy(profile: Profile, roles: Record<string, string>, k: number): string {
  const lines = profile.policy.split('\n')
  const columns = columnLines(profile.policy)
  for (const found of columns) {
    const guessed = JSON.parse(found.entries.find(([key]) => key === 'role')?.[1] ?? '""') as string
    const role = roles[found.column]
    if (!role || role === guessed) continue
    const kept = found.entries.filter(([key]) => key !== 'role' && role === 'quasi')
    lines[found.line] = written({ ...found, entries: [['role', `"${role}"`], ...kept], after: ' # chosen by hand' })
    // A hint about a hierarchy is of no use beside another role.
    if (lines[found.line + 1]?.startsWith('# ')) lines[found.line + 1] = '\u0000'
  }
  const sensitive = profile.columns.filter((column) => (roles[column.name] ?? column.role) === 'sensitive').map((column) => JSON.stringify(column.name))
  const promise = `l = { value = 2, on = [${sensitive.join(', ')}] }  # and at least so many values of each of these among them`
  const changed = lines.flatMap((line) => {
    if (line === '\u0000' || /^l = /.test(line)) return []
    if (!/^k = \d/.test(line)) return [line]
    const first = line.replace(/^k = \d+/, `k = ${k}`)
    return sensitive.length ? [first, promise] : [first]
  })
  return withoutEmpty(changed).join('\n')
}

/** Sections that hold places elsewhere are the server's: empty ones would ask for a place. */
function withoutEmpty(lines: string[]): string[] {
  const heads = lines.flatMap((line, place) => (/^\s*\[/.test(line) ? [place] : []))
  const empty = new Set(
    heads.flatMap((head, place) => {
      const end = heads[place + 1] ?? lines.length
      const isPlace = /^\[(source|sink|report)\]/.test(lines[head] ?? '')
      const holds = lines.slice(head + 1, end).some((line) => /^[^#\s]/.test(line))
      return isPlace && !holds ? [head] : []
    }),
  )
  const kept = lines.filter((_, place) => !empty.has(place))
  return kept.filter((line, place) => line.trim() || kept[place - 1]?.trim())
}
