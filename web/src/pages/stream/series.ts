// Figures of a stream as lines over time, and sentences about them.
import type { Over } from '../../api/kinds'
import { figure } from '../../words/format'

export type At = Over['points'][number]
export type Figures = Partial<At['figures']>
type Value = number | null | undefined

/** A longer pause than this many points is one: the stream did not run. */
const PAUSE = 2.5

/** The points, with one that is empty in each pause, so that no line is drawn over it. */
export function withPauses(points: readonly At[]): { at: number; figures: Figures }[] {
  const steps = points.slice(1).map((point, place) => point.at - (points[place]?.at ?? 0))
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 10_000
  return points.flatMap((point, place) => {
    const step = steps[place - 1] ?? 0
    const before = points[place - 1]
    return before && step > PAUSE * Math.max(usual, 10_000) ? [{ at: before.at + usual, figures: {} }, point] : [point]
  })
}

/** A count as so many a second; what is hidden stays so. */
export function aSecond(count: Value, figures: Figures): number | null {
  return typeof count === 'number' ? (count * 1000) / (figures.length || 10_000) : null
}

export const share = (value: Value): number | null => (typeof value === 'number' ? value * 100 : null)

/** What a line does: its last value, and between which it moves. */
export function moves(name: string, values: readonly Value[], unit: string): string {
  const known = values.filter((value) => typeof value === 'number')
  const last = known.at(-1)
  if (last === undefined) return `There is no figure of ${name} in this time.`
  const [least, most] = [Math.min(...known), Math.max(...known)]
  if (least === most) return `${name} is ${figure(last)} ${unit} all the time.`
  return `${name} is ${figure(last)} ${unit} at the end, and moves between ${figure(least)} and ${figure(most)} ${unit}.`
}

/** How long a line was below a limit, as a share of its points. */
export function below(values: readonly Value[], limit: number): number {
  const known = values.filter((value) => typeof value === 'number')
  return known.length ? known.filter((value) => value < limit).length / known.length : 0
}

/** What a rung of the hierarchy is called. */
export function rung(level: number): string {
  if (level === 0) return 'the value itself'
  return level === 1 ? '1 step up' : `${level} steps up`
}
