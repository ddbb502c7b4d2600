// Conditions on released rows, as people write them and as the server reads them.

export type Comparison = '=' | 'in' | 'contains' | 'overlaps'

export interface Condition {
  column: string
  is: Comparison
  /** One value; of `in` one a line. */
  text: string
  missing: boolean
}

export const COMPARISONS: { is: Comparison; label: string; hint: string }[] = [
  { is: '=', label: 'is', hint: 'The cell is written exactly so. Of intervals, “contains” finds those with a value in them.' },
  { is: 'in', label: 'is one of', hint: 'One value a line.' },
  { is: 'contains', label: 'contains', hint: 'The cell is or covers this value: 57..80 contains 60.' },
  { is: 'overlaps', label: 'overlaps', hint: 'The cell and this interval share a value: 57..80 overlaps 70..90.' },
]

/** How many conditions the server takes. */
export const MOST = 8

/** The conditions as JSON; none without conditions. */
export function write(conditions: Condition[]): string | undefined {
  const whole = conditions.filter((one) => one.column && (one.missing || one.text.trim()))
  if (!whole.length) return undefined
  return JSON.stringify(whole.map(({ column, is, text, missing }) => ({ column, is: missing ? '=' : is, values: missing ? [null] : valuesOf(is, text) })))
}

function valuesOf(is: Comparison, text: string): string[] {
  if (is !== 'in') return [text.trim()]
  return text.split('\n').map((line) => line.trim()).filter(Boolean).slice(0, 100)
}

/** A condition in words. */
export function sayCondition({ column, is, text, missing }: Condition): string {
  const label = COMPARISONS.find((one) => one.is === is)?.label ?? is
  return missing ? `${column} is missing` : `${column} ${label} ${valuesOf(is, text).join(', ')}`
}
