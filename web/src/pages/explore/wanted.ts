/** Which number of a policy is varied, between what, and for which goal. */
export interface WantedNumber {
  parameter: string
  from: number
  to: number
  measure: string
  most: number
  job: string
}

/** What somebody explores, as it is kept for the next visit. */
export interface Wanted {
  /** All methods with some values of k, or a search for a goal. */
  way: 'methods' | 'goal'
  k: string
  risk: string
  loss: string
  /** What the risk may be at most, from 0 to 1, when a goal is searched. */
  most: number
  /** The job that was asked for last. */
  job: string
  /** Two settings that are held beside each other. */
  pins: [string, string]
  number: WantedNumber
}
