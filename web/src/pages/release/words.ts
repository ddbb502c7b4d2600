// How figures of a release are read.
import { figure, percent } from '../../words/format'

/** `exact_bounds` as `exact bounds`. */
export const readable = (name: string): string => name.replaceAll('_', ' ')

/** A measure as its kind is read. */
export const measure = (share: number, asPercent: boolean): string => (asPercent ? percent(share) : figure(share))
