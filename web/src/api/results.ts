// What jobs have found, by kind. The interface describes a job's `result` as anything, since it is what
// the library writes; here is what pages read of it. Counts are rounded, and null where few are meant.

/** A promise and whether it is kept. */
export interface Claim {
  name: string
  promised: string
  promised_value: number | null
  found: string
  found_value: number | null
  holds: boolean
}

/** A measure before and after; `percent` says how it is read, `limit` what it may be at most. */
export interface Measured {
  name: string
  family: string
  meaning: string
  before: number | null
  after: number | null
  limit: number | null
  percent: boolean
}

export interface ColumnSet {
  columns: string[]
  singled_out: number | null
}

export interface Bins {
  bins: { label: string; before: number | null; after: number | null }[]
  hidden_bins: number | null
}

export interface RiskOf {
  highest: number | null
  mean: number | null
  below_k: number | null
}

/** One release of a preview: the whole, or that of a level. */
export interface Previewed {
  level: string | null
  passed: boolean
  claims: Claim[]
  measures: Measured[]
  class_sizes: { size: number; classes: number | null }[]
  risk: { from: number; to: number; before: number | null; after: number | null }[]
  risk_by_column: { all: RiskOf; columns: { name: string; alone: RiskOf; without: RiskOf }[] } | null
  column_sets: ColumnSet[]
  columns: {
    name: string
    role: string
    treatment: string
    loss: number | null
    missing_before: number | null
    missing_after: number | null
    histogram: Bins | null
  }[]
  rows: {
    read: number | null
    released: number | null
    classes_before: number | null
    classes_after: number | null
    suppressed: unknown[]
  }
  /** The recodings that a method has looked at, where it searches them. */
  search: Lattice | null
  warnings: string[]
}

/** One recoding: the level of each column, in the order of `columns`. */
export interface Recoding {
  levels: number[]
  /** What is lost by it; null where it does not keep the promises. */
  loss: number | null
}

/** Recodings that keep the promises, the best first, and those just below that do not. */
export interface Lattice {
  columns: string[]
  heights: number[]
  metric: string
  nodes: number
  looked_at: number
  /** By which share less than the best one another could lose; 0 is proven. */
  gap: number
  best: Recoding[]
  below: Recoding[]
}

export interface Preview {
  /** Whether rows were made up from the bounds of the policy, as for private methods. */
  made_up: boolean
  rows: number | null
  releases: Previewed[]
}

export interface Profile {
  rows: number | null
  persons: number | null
  columns: {
    name: string
    role: string
    why: string
    kind: string | null
    distinct: number | null
    missing: number | null
    /** Share of persons who are alone with their value. */
    alone: number | null
    rare: number | null
    values: { label: string; count: number | null }[]
  }[]
  column_sets: ColumnSet[]
  notes: string[]
  /** A policy to begin with. */
  policy: string
}

export interface Plan {
  rows: number | null
  persons: number | null
  unit: string
  classes: number | null
  below_k: number | null
  uniques: number | null
  megabytes: number | null
  columns: { name: string; role: string; distinct: number | null; missing: number | null; hierarchy_levels: number | null }[]
  column_sets: ColumnSet[]
  telling: { columns: string[]; uniques: number | null }[]
  privacy: unknown[]
  warnings: string[]
}

/** A method with a value of k; `values` stand in the order of `measures`. */
export interface TriedMethod {
  method: string
  k: number | null
  on_front: boolean
  promises_less: string | null
  refused: string | null
  released: number | null
  seconds: number
  values: (number | null)[]
}

/** A method with a value of its number, tried for a goal. */
export interface TriedNumber {
  method: string
  parameter: string
  value: number
  measures: (number | null)[]
  trade_off: [number | null, number | null]
  meets: boolean
  on_front: boolean
  refused: string | null
}

/** Settings that were tried: methods side by side, or for the goal of the policy; while it goes on, those so far. */
export type Explored =
  | { comparison: { name: string; rows: number | null; measures: string[]; tried: TriedMethod[] } }
  | { goal: { axes: [string, string]; measures: string[]; tried: TriedNumber[]; chosen: number | null; why: string } }
export interface Exploring {
  found: (TriedMethod | TriedNumber)[]
}

/** What an attack gets of a table whose values were made coarser. */
export interface TableAttack {
  attack: string
  column?: string
  knows: string
  unit: string
  of: number | null
  succeeds: number | null
  share: number | null
  classes: number | null
  details?: string[]
  way_out: string
}

/** How often originals lie in intervals round guesses, and how often by chance. */
export interface IntervalAttack {
  guess: string
  interval: string
  values: number | null
  values_by_chance: number | null
  records: number | null
  records_by_chance: number | null
}

/** What attacks get of records that were masked. */
export interface MaskedAttacks {
  method: string
  epsilon: number
  attacks: { attack: string; knows: string; records: number | null; breach: number | null; interval: [number, number] | null; median_error: number | null }[]
  intervals: IntervalAttack[]
  links?: { attack: string; knows: string; records: number | null; linked: number | null; certain: number | null }[]
  known_columns?: { columns: string[]; records: number | null; linked: number | null; certain: number | null }[]
  notes: string[]
}

/** How an attack on masked records was doing when so many were tried. */
export interface AttackPoint {
  attack: string
  knows: string
  tried: number | null
  breach: number | null
}
/** While attacks go on: those on a table that have ended, or points of those on masked records. */
export interface Attacking {
  found: (TableAttack | AttackPoint)[]
}

export interface Attacked {
  curves?: AttackPoint[]
  tables?: { notes: string[]; releases: { rows: number | null; classes: number | null; attacks: TableAttack[] }[] }
  masked?: MaskedAttacks
  none?: string
}

export interface Verified {
  passed: boolean
  same_bytes: boolean
  /** Whether each class of a coarser level is a union of finer ones; null of one level. */
  nested?: boolean | null
  levels: { passed: boolean; claims: Claim[]; rows: number | null; classes: number | null; smallest_class: number | null; faults: string[] }[]
}

/** A value of a number that was tried, with each goal. */
export interface TriedValue {
  value: number
  meets: boolean
  refused: string | null
  measures: { name: string; value: number | null; limit: number }[]
}
export interface Tuning {
  found: TriedValue[]
}
/** One number of a policy, each value that was tried. */
export interface Tuned {
  parameter: string
  section: string
  prefer: 'high' | 'low'
  best: number | null
  nearest: number | null
  at_end: boolean
  ragged: boolean
  caution: string | null
  tried: TriedValue[]
}

export interface Scores {
  accuracy: number | null
  kappa: number | null
  f1: number | null
}

export interface LearnPoint {
  results: number | null
  accuracy: number | null
  kappa: number | null
}
/** A learner, by the rows that it learnt from and those that it was tested with. */
export interface Curve {
  learner: string
  side: string
  tested: string
  points: LearnPoint[]
}
/** While learners go on: points of their curves. */
export interface Learning {
  found: (Omit<Curve, 'points'> & { point: LearnPoint })[]
}
/** Learners on original and protected rows. */
export interface Learned {
  records: number | null
  notes: string[]
  learners: (Curve & { whole: Scores; lately: Scores; faded: Scores })[]
}

/** The result of a job, by its kind; that of a release is told by its request. */
export interface Results {
  preview: Preview
  profile: Profile
  plan: Plan
  explore: Explored
  tune: Tuned
  learn: Learned
  attack: Attacked
  verify: Verified
}
