// What a profile says, in sentences; its counts are rounded to 5, and what 1 to 10 share is hidden.
import type { Profile } from '../../api/results'
import { count, figure, percent, plural } from '../../words/format'

export type ProfiledColumn = Profile['columns'][number]

/** The reason of a guess, without the marks of code. */
export const plain = (why: string) => why.replace(/`([^`]*)`/g, '“$1”')

/** What is counted. */
export function unitOf(profile: Profile): string {
  return profile.persons === null ? 'rows' : 'persons'
}

/** A count of the profile: small ones are hidden. */
export const some = (value: number | null) => (value === null ? '1 to 10' : count(value))

/** How many are alone with their value: somebody who comes several times can be so more than once. */
export function aloneText(alone: number | null, unit: string): string {
  if (alone === null) return `1 to 10 ${unit}`
  if (alone === 0) return `0 % of ${unit}`
  return alone <= 1 ? `${percent(alone)} of ${unit}` : `${figure(alone)} such values per ${unit.replace(/s$/, '')}`
}

/** The sentence of the drawing of a column. */
export function sentenceOf(column: ProfiledColumn, unit: string): string {
  const most = [...column.values].sort((a, b) => (b.count ?? 0) - (a.count ?? 0))[0]
  if (!most) return 'No value is shared by more than 10, so none is shown.'
  const hidden = column.rare ? ` ${count(column.rare)} ${unit} have values that are not shown, since at most 10 share one of them.` : ''
  const what = column.kind === 'category' ? 'Most frequent' : 'Fullest bin'
  return `${what}: ${most.label}, ${count(most.count)} ${unit}.${hidden}`
}

/** What of a column has changed since an earlier version. */
export function changesOf(column: ProfiledColumn, before: ProfiledColumn, unit: string): string[] {
  const told: string[] = []
  const from = (what: string, old: number | null, now: number | null, say: (value: number | null) => string) => {
    if (old !== now) told.push(`${what} ${say(old)} → ${say(now)}`)
  }
  if (column.role !== before.role) told.push(`guessed role ${before.role} → ${column.role}`)
  if (column.kind !== before.kind) told.push(`type ${before.kind ?? 'hidden'} → ${column.kind ?? 'hidden'}`)
  from('different values', before.distinct, column.distinct, some)
  from('rows without a value', before.missing, column.missing, some)
  from('alone', before.alone, column.alone, (value) => aloneText(value, unit))
  if (column.kind === 'category' && before.kind === 'category') {
    const [old, now] = [before, column].map((one) => new Set(one.values.map((value) => value.label)))
    const [added, gone] = [[...(now ?? [])].filter((label) => !old?.has(label)), [...(old ?? [])].filter((label) => !now?.has(label))]
    if (added.length) told.push(`new: ${few(added)}`)
    if (gone.length) told.push(`no longer shown: ${few(gone)}`)
  }
  return told.length ? told : [`other counts of ${unit} by value`]
}

const few = (labels: string[]) => `${labels.slice(0, 5).join(', ')}${labels.length > 5 ? ` and ${plural(labels.length - 5, 'more label', 'more labels')}` : ''}`
