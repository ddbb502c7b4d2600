// Attacks of every kind in one shape: how often each succeeds, how sure that is, and what chance gives.
import type { Attacked } from '../../api/results'
import { count, figure, percent } from '../../words/format'

export interface Attack {
  id: string
  name: string
  /** What the attacker knows. */
  knows: string
  share: number | null
  /** Of how many tries, and of what. */
  of: string
  /** Between these the share lies with 95 % confidence, were others like these attacked. */
  interval: [number, number] | undefined
  /** What guessing gives without any of it. */
  chance: number | undefined
  details: string[]
  wayOut: string | undefined
}

/** The interval of Wilson for a share of so many. */
export function wilson(share: number, of: number): [number, number] {
  const z = 1.96
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of)
  const half = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

export function attacksOf(found: Attacked): { attacks: Attack[]; notes: string[] } {
  if (found.none) return { attacks: [], notes: [found.none] }
  const [first] = found.tables?.releases ?? []
  const attacks: Attack[] = (first?.attacks ?? []).map((one) => ({
    id: `${one.attack} ${one.column ?? ''}`,
    name: one.attack.replaceAll('_', ' ') + (one.column ? ` of ${one.column}` : ''),
    knows: one.knows,
    share: one.share,
    of: `of ${count(one.of)} ${one.unit}`,
    interval: one.share !== null && one.of ? wilson(one.share, one.of) : undefined,
    chance: undefined,
    details: one.details ?? [],
    wayOut: one.way_out,
  }))
  const { masked } = found
  for (const one of masked?.attacks ?? []) {
    attacks.push({ id: one.attack, name: `reconstruction: ${one.attack}`, knows: one.knows, share: one.breach, of: `of ${count(one.records)} records`, interval: one.interval ?? undefined, chance: undefined, details: [`a value counts as found where it is less than ${percent(masked?.epsilon)} off`, `median error ${percent(one.median_error)}`], wayOut: undefined })
  }
  for (const one of masked?.intervals ?? []) {
    attacks.push({ id: `${one.interval} ${one.guess}`, name: `${one.interval} intervals round: ${one.guess}`, knows: 'the release', share: one.records, of: 'of whole records', interval: undefined, chance: one.records_by_chance ?? undefined, details: [`single values: ${percent(one.values)}, by chance ${percent(one.values_by_chance)}`], wayOut: undefined })
  }
  for (const one of masked?.links ?? []) {
    attacks.push({ id: one.attack, name: `linkage: ${one.attack}`, knows: one.knows, share: one.linked, of: `of ${count(one.records)} records`, interval: one.linked !== null && one.records ? wilson(one.linked, one.records) : undefined, chance: undefined, details: [`certain: ${percent(one.certain)}`], wayOut: undefined })
  }
  for (const one of masked?.known_columns ?? []) {
    attacks.push({ id: one.columns.join(' '), name: `linkage by ${one.columns.join(', ')}`, knows: 'these columns of everybody', share: one.linked, of: `of ${count(one.records)} records`, interval: one.linked !== null && one.records ? wilson(one.linked, one.records) : undefined, chance: undefined, details: [`certain: ${percent(one.certain)}`], wayOut: undefined })
  }
  return { attacks, notes: [...(found.tables?.notes ?? []), ...(masked?.notes ?? [])] }
}

/** The attack that gets most. */
export function strongest(attacks: Attack[]): Attack | undefined {
  return [...attacks].sort((a, b) => (b.share ?? 0) - (a.share ?? 0))[0]
}

export function sentence(attacks: Attack[]): string {
  const most = strongest(attacks)
  if (!most) return 'No attack is known on what this policy releases.'
  if (!most.share) return `${figure(attacks.length)} attacks were tried, and none gets anything.`
  return `${figure(attacks.length)} attacks were tried; ${most.name} gets most, ${percent(most.share)} ${most.of}.`
}
