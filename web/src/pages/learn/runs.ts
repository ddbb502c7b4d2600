// Learners on several protections: what is kept of a run, its curves, and what it comes to.
import type { AttackPoint, Attacked, Curve as Points, Learned, Learning } from '../../api/results'
import { attacksOf, strongest } from '../check/attacks'

/** One protection of a run, by its jobs. */
export interface Ran {
  name: string
  learn: string
  attack: string
}
/** What is kept between visits. */
export interface Kept {
  learners: string[]
  target: string
  window: number
  /** Values of k that the chosen policy is tried with, besides its own. */
  ks: string
  policies: string[]
  last: Ran[]
  earlier: Ran[]
}
/** What was found of one protection. */
export interface Found {
  learned?: Learned | undefined
  attacked?: Attacked | undefined
  /** Curves of learners, also while they go on. */
  curves: Points[]
  /** Points of attacks on masked records, also while they go on. */
  breaches: AttackPoint[]
}

/** Points as they were told, by learner and sides. */
export function growing({ found }: Learning): Points[] {
  const made = new Map<string, Points>()
  for (const { point, ...of } of found) {
    const key = `${of.learner} ${of.side} ${of.tested}`
    const curve = made.get(key) ?? { ...of, points: [] }
    made.set(key, { ...curve, points: [...curve.points, point] })
  }
  return [...made.values()]
}

export interface Curve {
  name: string
  points: { at: number; accuracy: number }[]
  look: 'after' | 'before'
}

/** Curves of one learner: the originals once, then each protection; an earlier run behind. */
export function curves(learner: string, last: [Ran, Found][], earlier: [Ran, Found][]): Curve[] {
  const made: Curve[] = []
  for (const [runs, look, prefix] of [[earlier, 'before', 'earlier: '], [last, 'after', '']] as const) {
    let hasOriginals = false
    for (const [ran, found] of runs) {
      for (const one of found.curves) {
        if (one.learner !== learner || one.side !== one.tested) continue
        if (one.side === 'original' && hasOriginals) continue
        hasOriginals ||= one.side === 'original'
        made.push({ name: prefix + (one.side === 'original' ? 'originals' : ran.name), points: pointsOf(one), look })
      }
    }
  }
  return made
}

function pointsOf(one: Points): Curve['points'] {
  return one.points.flatMap(({ results, accuracy }) => (results === null || accuracy === null ? [] : [{ at: results, accuracy }]))
}

/** Curves of what attacks on masked records get; an earlier run behind. */
export function breaches(last: [Ran, Found][], earlier: [Ran, Found][]): Curve[] {
  const of = (runs: [Ran, Found][], look: Curve['look'], prefix: string) =>
    runs.flatMap(([ran, found]) =>
      [...new Set(found.breaches.map((one) => one.attack))].map((attack): Curve => {
        const points = found.breaches.flatMap((one) => (one.attack !== attack || one.tried === null || one.breach === null ? [] : [{ at: one.tried, accuracy: one.breach }]))
        return { name: `${prefix}${ran.name}, ${attack}`, points, look }
      }),
    )
  return [...of(earlier, 'before', 'earlier: '), ...of(last, 'after', '')].filter((curve) => curve.points.length)
}

/** All curves over the same records; a gap where one says nothing. */
export function together(all: Curve[]): { at: number[]; series: { name: string; values: (number | null)[]; look: 'after' | 'before' }[] } {
  const at = [...new Set(all.flatMap((curve) => curve.points.map((point) => point.at)))].sort((a, b) => a - b)
  const series = all.map((curve) => {
    const known = new Map(curve.points.map((point) => [point.at, point.accuracy * 100]))
    return { name: curve.name, look: curve.look, values: at.map((one) => known.get(one) ?? null) }
  })
  return { at, series }
}

/** One learner on one protection. */
export interface Outcome {
  id: string
  learner: string
  protection: string
  originals: number | null
  accuracy: number | null
  /** Learnt on the release and tested on originals. */
  applied: number | null
  /** What the strongest attack gets. */
  breach: number | null
  attack: string | undefined
  /** (1 - accuracy)² + breach²; 0 were perfect. */
  magnitude: number | null
}

export function outcomes(last: [Ran, Found][]): Outcome[] {
  return last.flatMap(([ran, { learned, attacked }]) => {
    const most = attacked && strongest(attacksOf(attacked).attacks)
    const breach = attacked ? (most?.share ?? null) : null
    const names = [...new Set(learned?.learners.map((one) => one.learner) ?? [])]
    return names.map((learner) => {
      const of = (side: string, tested: string) => learned?.learners.find((one) => one.learner === learner && one.side === side && one.tested === tested)?.whole.accuracy ?? null
      const accuracy = of('protected', 'protected')
      const magnitude = accuracy === null || breach === null ? null : (1 - accuracy) ** 2 + breach ** 2
      return { id: `${learner} ${ran.name}`, learner, protection: ran.name, originals: of('original', 'original'), accuracy, applied: of('protected', 'original'), breach, attack: most?.name, magnitude }
    })
  })
}
