// What the run of a request has found, and the checks that follow from it, each with a sentence.
import type { Answer } from '../../api/client'
import type { Attacked, TableAttack, Verified } from '../../api/results'
import { count, figure, percent, plural } from '../../words/format'
import { plain, readable } from '../release/words'

export type Review = Answer<'get', '/projects/{project}/requests/{release}'>
export type Facts = Review['made'][number]
export type Share = Facts['attacks'][number]
export type Rules = Answer<'get', '/projects/{project}/rules'>

/** The part of the result of the job that a review is given. */
interface Run {
  verified?: Verified | null
  attacks?: Attacked | null
  ledger?: { none: string | null } | { entries: number; releases: number; head: string; epsilon: number | null } | null
}

/** `holds`, `look` where somebody has to judge, `breaks` where it cannot be approved. */
export interface Check {
  state: 'holds' | 'look' | 'breaks'
  text: string
  /** What to do, or what it means. */
  help?: string
}

export const runOf = (review: Review): Run => (review.run ?? {}) as Run

/** The attacks that were tried on a level, with what they need and the way out. */
export function triedOf(review: Review, place: number): TableAttack[] {
  return runOf(review).attacks?.tables?.releases[place]?.attacks ?? []
}

/** The percent of rows from which columns together are worth a look. */
const SINGLED_OUT = 5

export function checksOf(review: Review): Check[] {
  const checks = [...rules(review), ...verified(review), ...review.made.flatMap((level) => ofLevel(level, review.made.length > 1)), ...together(review)]
  return checks.map((check) => ({ ...check, text: plain(check.text) }))
}

function rules(review: Review): Check[] {
  if (review.broken.length) {
    return review.broken.map((text) => ({ state: 'breaks', text, help: 'Refuse it, and have it asked for again with another policy.' }))
  }
  return [{ state: 'holds', text: 'The rules of the project, as they are today' }]
}

function verified(review: Review): Check[] {
  if (!review.made.length) return []
  const found = runOf(review).verified
  if (!found) return [{ state: 'look', text: 'Written rows were not checked a second time', help: 'A search has chosen what is done, so the report alone says what it promises.' }]
  const faults = found.levels.flatMap((level) => level.faults)
  if (!found.passed) return [{ state: 'breaks', text: 'Written rows do not keep what the policy promises', help: faults.join('; ') }]
  const again: Check = { state: 'holds', text: 'Written rows, checked again by code that did not make them' }
  if (typeof found.nested !== 'boolean') return [again]
  const nested: Check = found.nested
    ? { state: 'holds', text: 'Levels are nested: who reads several learns no more than the finest says' }
    : { state: 'breaks', text: 'Levels are not nested: who reads several learns more than each one says' }
  return [again, nested]
}

function ofLevel(level: Facts, several: boolean): Check[] {
  const at = several ? `Level ${level.level}: ` : ''
  const promises = level.promises.map(
    (promise): Check => ({ state: promise.holds ? 'holds' : 'breaks', text: `${at}${promise.name} ${promise.promised}` }),
  )
  const attacks = level.attacks
    .filter((attack) => typeof attack.limit === 'number')
    .map((attack): Check => ({ state: attack.share <= (attack.limit ?? 0) ? 'holds' : 'breaks', text: `${at}attack ${readable(attack.name)} ${percent(attack.share)}, limit ${percent(attack.limit)}` }))
  const singled = telling(level).map(
    (set): Check =>
      set.columns.length === 1
        ? { state: 'look', text: `${at}${list(set.columns)} alone singles out ${figure(set.percent)} % of rows`, help: 'Who knows it of somebody finds their row if it is one of those. Ask whether anybody would know it.' }
        : { state: 'look', text: `${at}${list(set.columns)} single out ${figure(set.percent)} % of rows together`, help: 'Who knows these of somebody finds their row if it is one of those. Ask whether anybody would know them.' },
  )
  const suppressed = level.suppressed.map((one): Check => ({ state: 'look', text: `${at}at most ${plural(one.at_most, 'row')} suppressed: ${one.why}`, help: 'Who is rare is missing from the release; counts of small groups are too low.' }))
  const warnings = level.warnings.map((text): Check => ({ state: 'look', text: `${at}${text}` }))
  const truthful: Check[] = level.truthful === false ? [{ state: 'look', text: `${at}values are changed, not only made coarser`, help: 'A single row may be wrong; counts and means are about right.' }] : []
  return [...promises, ...attacks, ...truthful, ...singled, ...suppressed, ...warnings]
}

/** Sets of columns that single out many rows: of those that contain each other only the smallest, the worst first. */
function telling(level: Facts): Facts['singled_out'] {
  const large = level.singled_out.filter((set) => set.percent >= SINGLED_OUT)
  const smallest = large.filter((set) => !large.some((other) => other.columns.length < set.columns.length && other.columns.every((column) => set.columns.includes(column))))
  return smallest.sort((a, b) => b.percent - a.percent).slice(0, 5)
}

function together(review: Review): Check[] {
  const { earlier, held, overtaken, epsilon, epsilon_a_year } = review.together
  const checks: Check[] = []
  if (overtaken) checks.push({ state: 'breaks', text: 'Another release of these data was published since this one was made', help: 'It has to be held against that one too: refuse it and have it asked for again.' })
  if (held) {
    const what = earlier ? `With ${plural(earlier, 'earlier release')} of these data: nobody in a smaller group than was promised` : 'Nothing was released of these data before; later releases will be held against this one'
    checks.push({ state: 'holds', text: what })
  } else if (review.made.length) {
    const ledger = runOf(review).ledger
    const why = ledger && 'none' in ledger && ledger.none ? ledger.none : 'this policy cannot be followed from release to release'
    const text = earlier ? `Not held against ${plural(earlier, 'earlier release')} of these data` : 'Later releases cannot be held against this one'
    checks.push({ state: 'look', text, help: `The reason: ${why}. Compare by hand who could join them.` })
  }
  if (typeof epsilon_a_year === 'number') {
    checks.push({ state: epsilon <= epsilon_a_year ? 'holds' : 'breaks', text: `ε = ${figure(epsilon)} of ${figure(epsilon_a_year)} spent within a year, this one included` })
  } else if (epsilon > 0) {
    checks.push({ state: 'look', text: `ε = ${figure(epsilon)} spent within a year; the rules set no budget` })
  }
  return checks
}

/** `a, b and c`. */
export function list(names: string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** What changed, as short lines: the mark says whether it came, went or is another one. */
export interface Change {
  mark: '+' | '−' | '→'
  text: string
}

export function changesOf(changed: NonNullable<Review['changed']>): Change[] {
  const change = (mark: Change['mark'], what: string) => (name: string | number) => ({ mark, text: `${what} ${name}` })
  return [
    ...(changed.data ? [{ mark: '→' as const, text: 'another version of the data' }] : []),
    ...changed.new_columns.map(change('+', 'column')),
    ...changed.gone_columns.map(change('−', 'column')),
    ...changed.treatments.map(([name, before, after]): Change => ({ mark: '→', text: `column ${name}: ${before} before, ${after} now` })),
    ...changed.new_levels.map(change('+', 'level')),
    ...changed.gone_levels.map(change('−', 'level')),
  ]
}

/** How many of the checks are in each state, in a sentence. */
export function sayChecks(checks: Check[]): string {
  const of = (state: Check['state']) => checks.filter((check) => check.state === state).length
  const parts = [`${count(of('holds'))} hold`, `${count(of('look'))} to look at`, ...(of('breaks') ? [`${count(of('breaks'))} broken`] : [])]
  return parts.join(', ')
}
