// Settings that were tried, from whichever search, as points with names and figures.
import type { Explored, Exploring, TriedMethod, TriedNumber } from '../../api/results'
import { count, figure, percent, plural } from '../../words/format'
import { edit, type Path } from '../../policy/edit'
import { table, type Table } from '../protect/form'

export interface Setting {
  id: string
  name: string
  method: string
  /** The number that was varied: `k` of the guarantee, or one of the method. */
  parameter: string
  value: number | null
  figures: Record<string, number | null>
  released: number | null
  refused: string | null
  less: string | null
  meets: boolean | undefined
  /** Nothing else has at most this risk and this loss. */
  front: boolean
}

/** Measures that are no shares from 0 to 1. */
const NUMBERS = new Set(['discernibility', 'average_class_size', 'ncp', 'classification', 'sse', 'suda_average', 'chi_square_change'])
export const isShare = (measure: string) => !NUMBERS.has(measure)
export const told = (measure: string, value: number | null | undefined) => (isShare(measure) ? percent(value) : figure(value))

/** What was tried, so far or in all, with the names of what was measured. */
export function settings(found: Explored | Exploring | undefined, axes: [string, string]): { all: Setting[]; measures: string[]; why: string | undefined; chosen: string | undefined } {
  if (!found) return { all: [], measures: [], why: undefined, chosen: undefined }
  if ('comparison' in found) {
    const { measures, tried } = found.comparison
    return { all: withFront(tried.map((one) => ofMethod(one, measures)), axes), measures, why: undefined, chosen: undefined }
  }
  if ('goal' in found) {
    const { goal } = found
    const all = goal.tried.map((one) => ofNumber(one, goal.axes, goal.measures))
    const measures = [...new Set([...goal.axes, ...goal.measures])]
    return { all: withFront(all, axes), measures, why: goal.why, chosen: goal.chosen === null ? undefined : all[goal.chosen]?.id }
  }
  // Of those so far only the measures that were asked for have names.
  const all = found.found.map((one) => ('trade_off' in one ? ofNumber(one, axes, []) : ofMethod(one, axes)))
  return { all: withFront(all, axes), measures: axes, why: undefined, chosen: undefined }
}

function ofMethod(one: TriedMethod, measures: readonly string[]): Setting {
  const name = one.k === null ? one.method : `${one.method}, k = ${one.k}`
  const figures = Object.fromEntries(measures.map((measure, place) => [measure, one.values[place] ?? null]))
  return { id: name, name, method: one.method, parameter: 'k', value: one.k, figures, released: one.released, refused: one.refused, less: one.promises_less, meets: undefined, front: false }
}

function ofNumber(one: TriedNumber, axes: readonly string[], measures: readonly string[]): Setting {
  const name = `${one.method}, ${one.parameter} = ${figure(one.value)}`
  const figures: Record<string, number | null> = {}
  for (const [place, measure] of measures.entries()) figures[measure] = one.measures[place] ?? null
  for (const [place, axis] of axes.entries()) figures[axis] = one.trade_off[place] ?? null
  return { id: `${one.method} ${one.parameter} ${one.value}`, name, method: one.method, parameter: one.parameter, value: one.value, figures, released: null, refused: one.refused, less: null, meets: one.meets, front: false }
}

/** Marks those that no other one beats by both; what promises less is no fair other one. */
function withFront(all: Setting[], [risk, loss]: [string, string]): Setting[] {
  const at = (one: Setting) => [one.figures[risk], one.figures[loss]] as const
  const isBeaten = (one: Setting) => {
    const [x, y] = at(one)
    if (x == null || y == null || one.less) return true
    return all.some((other) => {
      if (other.less) return false
      const [a, b] = at(other)
      return other !== one && a != null && b != null && a <= x && b <= y && (a < x || b < y)
    })
  }
  return all.map((one) => ({ ...one, front: !isBeaten(one) }))
}

export function sentence(all: Setting[], [risk, loss]: [string, string]): string {
  const refused = all.filter((one) => one.refused).length
  const front = all.filter((one) => one.front)
  if (!all.length) return 'Nothing was tried yet.'
  const least = [...front].sort((a, b) => (a.figures[loss] ?? 0) - (b.figures[loss] ?? 0))[0]
  const parts = [`${plural(all.length, 'setting')} tried`, refused ? `${count(refused)} could release nothing` : '', `${count(front.length)} on the front`]
  const best = least ? ` Least is lost by ${least.name}: ${loss} ${told(loss, least.figures[loss])} at ${risk} ${told(risk, least.figures[risk])}.` : ''
  return `${parts.filter(Boolean).join(', ')}.${best}`
}

/** A policy that does what was tried. */
export function use(text: string, policy: Table, one: Setting): string {
  const steps = (Array.isArray(policy['protect']) ? policy['protect'] : []).map(table)
  const known = steps.findIndex((step) => step['method'] === one.method)
  const [method] = one.method.split(', ')
  const varied: Table = one.parameter !== 'k' && one.value !== null ? { [one.parameter]: one.value } : {}
  // A method of the policy keeps what it is told; another begins with its defaults.
  const step: Table = { ...(known >= 0 ? steps[known] : {}), method: method ?? one.method, ...varied }
  const place = known >= 0 ? known : Math.max(0, steps.findIndex((other) => other['method'] !== 'recoding'))
  const next = steps.length ? steps.map((other, at) => (at === place ? step : other)) : [step]
  let made = edit(text, ['goal'], undefined)
  made = edit(made, ['protect'], next)
  if (one.parameter !== 'k' || one.value === null) return made
  return one.method === 'mu-argus' ? edit(made, ['protect', place, 'k'], one.value) : edit(made, ['guarantee', 'k'], one.value)
}

/** The numbers of a policy that can be varied, as `moretta tune` names them, and where they stand. */
export function tunable(policy: Table): { name: string; path: Path; value: number }[] {
  const all: { name: string; method: string; path: Path; value: number }[] = []
  const k = table(policy['guarantee'])['k']
  if (typeof k === 'number') all.push({ name: 'k', method: '', path: ['guarantee', 'k'], value: k })
  const steps = Array.isArray(policy['protect']) ? policy['protect'] : []
  for (const [place, step] of steps.map(table).entries()) {
    for (const [name, value] of Object.entries(step)) {
      if (typeof value === 'number') all.push({ name, method: String(step['method']), path: ['protect', place, name], value })
    }
  }
  const isAlone = (name: string) => all.filter((one) => one.name === name).length === 1
  return all.map(({ name, method, ...rest }) => ({ name: isAlone(name) || !method ? name : `${method}.${name}`, ...rest }))
}
