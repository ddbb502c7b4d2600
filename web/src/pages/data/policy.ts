// Roles of columns, and texts of policies as far as these pages change them.
import type { Profile } from '../../api/results'
import type { Value } from '../../parts/schema'
import { edit, isTable, name } from '../../policy/edit'
import { read, valueOf } from '../../policy/read'

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

const HIDDEN = ['identifier', 'subject', 'drop', '']

/** Whether a column that was guessed to tell who somebody is has a role by which it is released. */
export const tellsPersons = (guessed: string, role: string): boolean => ['identifier', 'subject'].includes(guessed) && !HIDDEN.includes(role)

/** The sections of a policy, and the names in each. */
function sections(policy: string): Record<string, Record<string, Value> | undefined> {
  return valueOf(read(policy)) as Record<string, Record<string, Value>>
}

/** The same policy with another hierarchy of a column; nothing where it does not have the column. */
export function withHierarchy(policy: string, column: string, hierarchy: Record<string, Value>): string | undefined {
  const of = sections(policy)['columns']?.[column]
  if (!isTable(of)) return undefined
  // What becomes labels is read as labels: a number would lose its leading zeros.
  const isText = ('mask' in hierarchy || 'path' in hierarchy) && !('type' in of)
  const typed = isText ? edit(policy, ['columns', column, 'type'], 'category') : policy
  return edit(typed, ['columns', column, 'hierarchy'], hierarchy)
}

/** The first policy of a profile with the roles and the k that somebody has chosen. */
export function firstPolicy(profile: Profile, roles: Record<string, string>, k: number): string {
  let text = profile.policy
  // Places are the server's: sections that held nothing else would ask for one.
  for (const [section, of] of Object.entries(sections(text))) {
    if (isTable(of) && !Object.keys(of).length) text = edit(text, [section], undefined)
  }
  for (const column of profile.columns) {
    const role = roles[column.name]
    if (!role || role === column.role) continue
    text = edit(text, ['columns', column.name, 'role'], role)
    if (role !== 'quasi') text = edit(text, ['columns', column.name, 'hierarchy'], undefined)
    text = text
      .split('\n')
      .map((line) => (line.startsWith(name(column.name)) && /^[^#]*= *\{/.test(line.slice(name(column.name).length)) ? line.replace(` # ${column.why}`, ' # chosen by hand') : line))
      .join('\n')
  }
  if (!sections(text)['guarantee']) return text
  const sensitive = profile.columns.filter((column) => (roles[column.name] ?? column.role) === 'sensitive').map((column) => column.name)
  text = edit(text, ['guarantee', 'k'], k)
  return edit(text, ['guarantee', 'l'], sensitive.length ? { value: 2, on: sensitive } : undefined)
}
