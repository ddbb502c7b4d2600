// Numbers and times as people read them, the same everywhere.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** A count: `4,000`. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : whole.format(value)
}

/** Any figure: three digits that count. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–'
  return Math.abs(value) >= 1000 ? whole.format(value) : short.format(value)
}

/** A share from 0 to 1 in percent. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : `${short.format(share * 100)} %`
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let place = 0
  let rest = value
  while (rest >= 1000 && place < units.length - 1) {
    rest /= 1000
    place += 1
  }
  return `${short.format(rest)} ${units[place]}`
}

/** A time as `2026-11-19 14:35`. */
export function time(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  const at = new Date(ms)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The time of a day, as `14:35`. */
export function clock(ms: number): string {
  return time(ms).slice(-5)
}

/** A length of time: `3 d 4 h`, `12 min`, `40 ms`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${whole.format(ms)} ms`
  const parts = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ] as const
  const first = parts.findIndex(([length]) => ms >= length)
  let rest = ms
  const shown = parts.slice(first, first + 2).map(([length, unit]) => {
    const number = Math.floor(rest / length)
    rest %= length
    return number > 0 ? `${number} ${unit}` : ''
  })
  return shown.filter(Boolean).join(' ')
}

/** How long ago, in one unit. */
export function ago(ms: number, now = Date.now()): string {
  const passed = now - ms
  if (passed < 60_000) return 'just now'
  if (passed < 3_600_000) return `${Math.floor(passed / 60_000)} min ago`
  if (passed < 86_400_000) return `${Math.floor(passed / 3_600_000)} h ago`
  return passed < 30 * 86_400_000 ? `${Math.floor(passed / 86_400_000)} d ago` : time(ms)
}

/** `1 row`, `2 rows`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`
}
