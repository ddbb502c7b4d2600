// What a preview says of a release, in the figures and sentences that several pages show.
import type { Measured, Previewed } from '../api/results'
import { figure, percent } from '../words/format'

export const measureOf = (of: Previewed, name: string): Measured | undefined => of.measures.find((measure) => measure.name === name)

/** A measure as it is read. */
export function said(measure: Pick<Measured, 'percent'> | undefined, value: number | null | undefined): string {
  return measure?.percent ? percent(value) : figure(value)
}

/** The size of the smallest class of what would leave; sizes are told however small. */
export function smallest(of: Previewed): number | undefined {
  const sizes = of.class_sizes.map((one) => one.size)
  return sizes.length ? Math.min(...sizes) : undefined
}

/** The share of rows that would not leave; nothing where so few are meant that they are not told. */
export function suppressed(of: Previewed): number | undefined {
  const { read, released } = of.rows
  return read && released !== null ? Math.max(0, 1 - released / read) : undefined
}

/** The largest chance that somebody is found, where it is promised. */
export function riskLimit(of: Previewed): number | undefined {
  const k = of.claims.find((claim) => claim.name === 'k-anonymity')?.promised_value
  return k ? 1 / k : undefined
}

interface Bin {
  name: string
  before?: number | null
  after?: number | null
}

const MOST = 24

/** Classes by size; sizes are put together where there are many. */
export function classBins(of: Previewed): Bin[] {
  const sizes = [...of.class_sizes].sort((a, b) => a.size - b.size)
  const [least, most] = [sizes[0]?.size ?? 0, sizes.at(-1)?.size ?? 0]
  if (sizes.length <= MOST) return sizes.map((one) => ({ name: String(one.size), after: one.classes }))
  const bins = new Map<number, { to: number; classes: number; few: boolean }>()
  for (const { size, classes } of sizes) {
    const bin = Math.min(MOST - 1, Math.floor((MOST * Math.log(size / least)) / Math.log((most + 1) / least)))
    const known = bins.get(bin)
    bins.set(bin, { to: size, classes: (known?.classes ?? 0) + (classes ?? 0), few: (known?.few ?? true) && classes === null })
  }
  let from = least
  return [...bins.values()].map(({ to, classes, few }) => {
    const name = from === to ? String(to) : `${from} to ${to}`
    from = to + 1
    return { name, after: few ? null : classes }
  })
}

export function classSentence(of: Previewed): string {
  const least = smallest(of)
  const classes = of.rows.classes_after
  if (least === undefined) return 'This method makes no classes.'
  return `${classes === null ? 'A few' : figure(classes)} classes of equal rows; the smallest has ${least}.`
}

/** Persons by the chance that they are found, and after which bar the promised limit is. */
export function riskBins(of: Previewed): { bins: Bin[]; wall: number | undefined } {
  const limit = riskLimit(of)
  const bins = of.risk.map((one) => ({ name: `${figure(one.from * 100)} to ${figure(one.to * 100)} %`, before: asPercent(one.before), after: asPercent(one.after) }))
  const at = limit === undefined ? -1 : of.risk.findIndex((one) => limit > one.from + 1e-9 && limit <= one.to + 1e-3)
  const bar = of.risk[at]
  // Within a bar, the place of the limit between its ends.
  const wall = bar && limit !== undefined ? at + Math.min(1, (limit - bar.from) / (bar.to - bar.from)) : undefined
  return { bins, wall }
}
const asPercent = (share: number | null) => (share === null ? null : share * 100)

export function riskSentence(of: Previewed): string {
  const limit = riskLimit(of)
  const worst = [...of.risk].reverse().find((one) => one.after !== 0)
  if (!worst) return 'No chance of finding a person was measured.'
  const up = `Nobody is found with a chance of more than ${percent(worst.to)}`
  return limit === undefined ? `${up}; no k is promised.` : `${up}; promised is ${percent(limit)}.`
}

/** Loss of each column in percent, the most first. */
export function lossBars(of: Previewed): { name: string; value: number }[] {
  const columns = of.columns.flatMap((column) => (column.loss === null ? [] : [{ name: column.name, value: column.loss * 100 }]))
  return columns.sort((a, b) => b.value - a.value)
}

export function lossSentence(bars: { name: string; value: number }[]): string {
  const [first] = bars
  if (!first) return 'No column loses detail that is measured.'
  return first.value === 0 ? 'No column loses anything.' : `${first.name} loses most, ${figure(first.value)} %.`
}

/** In a sentence, for who hears it. */
export function summary(of: Previewed): string {
  const loss = measureOf(of, 'gcp')
  const risk = measureOf(of, 'prosecutor_risk')
  const parts = [`smallest class ${smallest(of) ?? 'none'}`, risk && `risk ${said(risk, risk.after)}`, loss && `loss ${said(loss, loss.after)}`]
  return `${of.passed ? '' : 'A promise does not hold. '}Preview: ${parts.filter(Boolean).join(', ')}`
}
