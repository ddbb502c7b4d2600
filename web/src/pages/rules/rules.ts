// Rules of a project as a form, and whether a change is tighter: the same that the server decides.
import type { Answer } from '../../api/client'

export type Rules = Answer<'get', '/projects/{project}/rules'>

/** What the form holds; a limit that is off has no number. */
export interface Form {
  ks: { level: number | null; k: number | null }[]
  methods: string[] | null
  epsilon: number | null
  days: number | null
  attacks: number | null
  unpromised: boolean
}

export const formOf = (rules: Rules): Form => ({
  ks: Object.entries(rules.least_k ?? {}).map(([level, k]) => ({ level: Number(level), k })),
  methods: rules.methods ? [...rules.methods] : null,
  epsilon: rules.epsilon_a_year ?? null,
  days: rules.retention_days ?? null,
  // Shares are written in percent, without the dust of binary fractions.
  attacks: typeof rules.attacks_at_most === 'number' ? Number((rules.attacks_at_most * 100).toPrecision(12)) : null,
  unpromised: rules.unpromised,
})

export const rulesOf = (form: Form): Rules => ({
  least_k: Object.fromEntries(form.ks.flatMap(({ level, k }) => (level && k ? [[String(level), k]] : []))),
  methods: form.methods,
  epsilon_a_year: form.epsilon,
  retention_days: form.days,
  attacks_at_most: form.attacks === null ? null : Number((form.attacks / 100).toPrecision(12)),
  unpromised: form.unpromised ?? false,
})

/** The least k where none is named. */
export const USUAL_K = 5

/** The least k of a level: of one that is not named, that of the next finer one, or the usual one. */
export function leastK(rules: Rules, level: number): number {
  const named = Object.entries(rules.least_k ?? {}).map(([at, k]) => [Number(at), k] as const)
  const finer = named.filter(([at]) => at <= level).sort((a, b) => b[0] - a[0])[0]
  return finer?.[1] ?? USUAL_K
}

const names = (rules: Rules, level: number) => Object.keys(rules.least_k ?? {}).some((at) => Number(at) <= level)

/** What of `after` is looser than before, in words; nothing where all is as tight or tighter. */
export function loosened(before: Rules, after: Rules): string[] {
  const levels = [...new Set([before, after].flatMap((rules) => Object.keys(rules.least_k ?? {}).map(Number)))].sort((a, b) => a - b)
  const more = (was: number | null | undefined, is: number | null | undefined) => typeof was === 'number' && (typeof is !== 'number' || is > was)
  const methods = before.methods && (!after.methods || after.methods.some((method) => !before.methods?.includes(method)))
  return [
    ...levels.filter((level) => leastK(after, level) < leastK(before, level)).map((level) => `k of level ${level} from ${leastK(before, level)} to ${leastK(after, level)}`),
    ...(levels.some((level) => names(before, level) && !names(after, level)) ? ['no k named, so that other promises do'] : []),
    ...(after.unpromised && !before.unpromised ? ['policies without a promise'] : []),
    ...(methods ? ['more methods'] : []),
    ...(more(before.epsilon_a_year, after.epsilon_a_year) ? ['more ε a year'] : []),
    ...(more(before.retention_days, after.retention_days) ? ['raw data kept for longer'] : []),
    ...(more(before.attacks_at_most, after.attacks_at_most) ? ['attacks may find more'] : []),
  ]
}

export const same = (a: Rules, b: Rules): boolean => JSON.stringify(rulesOf(formOf(a))) === JSON.stringify(rulesOf(formOf(b)))
