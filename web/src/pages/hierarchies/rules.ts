// Rules by which values become coarser, as the library applies them: what pages show while somebody
// tries parameters. What is released is made by the library alone.

import type { Value } from '../../parts/schema'

export type Unit = 'month' | 'quarter' | 'year' | 'decade'
export type Rule =
  | { kind: 'intervals'; widths: number[] }
  | { kind: 'mask'; side: 'left' | 'right' }
  | { kind: 'dates'; units: Unit[] }
  | { kind: 'path'; separator: string }
  | { kind: 'grid'; sizes: number[] }

export const UNITS: readonly Unit[] = ['month', 'quarter', 'year', 'decade']

/** What is wrong with the parameters. */
export function wrongWith(rule: Rule): string | undefined {
  if (rule.kind === 'path') return rule.separator ? undefined : 'name the text between the parts, such as /'
  if (rule.kind === 'dates') return rule.units.length ? undefined : 'choose one unit at least'
  if (rule.kind === 'mask') return undefined
  const steps = rule.kind === 'intervals' ? rule.widths : rule.sizes
  const what = rule.kind === 'intervals' ? 'width' : 'size'
  if (!steps.length) return `give one ${what} at least`
  if (steps.some((step) => !(Number.isFinite(step) && step > 0))) return `a ${what} is a number above 0`
  const bad = steps.find((step, place) => {
    const times = step / (steps[place - 1] ?? step)
    return place > 0 && (Math.round(times) < 2 || Math.abs(times - Math.round(times)) > 1e-9 * times)
  })
  return bad === undefined ? undefined : `${bad} is not a multiple of the ${what} before it`
}

/** What a policy says of it. */
export function hierarchyOf(rule: Rule): Record<string, Value> {
  switch (rule.kind) {
    case 'intervals':
      return { intervals: rule.widths }
    case 'mask':
      return { mask: rule.side }
    case 'dates':
      return { dates: rule.units }
    case 'path':
      return { path: rule.separator }
    case 'grid':
      return { grid: rule.sizes.map((size) => (size >= 1000 ? `${size / 1000}km` : `${size}m`)) }
  }
}

/** The labels of each value on each level above it, without the top. */
export function labels(rule: Rule, values: string[]): string[][] {
  switch (rule.kind) {
    case 'intervals':
      return intervals(rule.widths, values.map(Number))
    case 'mask': {
      const deepest = Math.max(1, ...values.map((value) => [...value].length))
      return values.map((value) => Array.from({ length: deepest - 1 }, (_, level) => masked(value, level + 1, rule.side)))
    }
    case 'dates':
      return values.map((value) => rule.units.map((unit) => dated(value, unit)))
    case 'path': {
      const parts = values.map((value) => value.split(rule.separator))
      const deepest = Math.max(1, ...parts.map((part) => part.length))
      return parts.map((part) => Array.from({ length: deepest - 1 }, (_, level) => part.slice(0, deepest - 1 - level).join(rule.separator)))
    }
    case 'grid':
      return values.map((value) => cells(rule.sizes, value))
  }
}

function intervals(widths: number[], numbers: number[]): string[][] {
  const [finest = 1] = widths
  const whole = Number.isInteger(finest) && numbers.every(Number.isInteger)
  const decimals = (String(finest).split('.')[1] ?? '').length
  const end = (index: number, width: number) => Number((index * width).toFixed(decimals))
  return numbers.map((number) =>
    widths.map((width) => {
      const index = Math.floor(number / width)
      const [low, high] = [end(index, width), end(index + 1, width)]
      if (!whole) return `[${low}, ${high})`
      return high - 1 === low ? `${low}` : `${low}..${high - 1}`
    }),
  )
}

function masked(text: string, hidden: number, side: 'left' | 'right'): string {
  const letters = [...text]
  if (hidden >= letters.length) return '*'
  const stars = '*'.repeat(hidden)
  return side === 'right' ? letters.slice(0, letters.length - hidden).join('') + stars : stars + letters.slice(hidden).join('')
}

function dated(date: string, unit: Unit): string {
  const [year = '', month = '1'] = date.split('-')
  if (unit === 'month') return `${year}-${month}`
  if (unit === 'quarter') return `${year}-Q${Math.floor((Number(month) - 1) / 3) + 1}`
  return unit === 'year' ? year : `${String(Math.floor(Number(year) / 10) * 10).padStart(4, '0')}s`
}

const METRES = 111_320

/** Cells of a point that is written as `46.9, 7.4`, latitude first. */
function cells(sizes: number[], point: string): string[] {
  const [latitude = 0, longitude = 0] = point.split(',').map(Number)
  const [finest = 1, coarsest = finest] = [sizes[0], sizes.at(-1)]
  const north = Math.floor((latitude * METRES) / finest)
  // Longitude is measured in the middle of the coarsest row that holds the point.
  const middle = (Math.floor((north * finest) / coarsest + 1e-9) + 0.5) * coarsest
  const shrunk = Math.max(0, Math.cos((Math.min(90, Math.max(-90, middle / METRES)) * Math.PI) / 180))
  const east = Math.floor((longitude * METRES * shrunk) / finest)
  return sizes.map((size) => {
    const times = Math.round(size / finest)
    return `${size}m:${Math.floor(north / times)}:${Math.floor(east / times)}`
  })
}
