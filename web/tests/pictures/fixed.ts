// What moves is held still for pictures: the clock, the times in what the server answers, the live line.
import type { Page, Route } from '@playwright/test'

/** When all pictures are taken, Greenwich. */
export const AT = Date.UTC(2026, 4, 12, 10, 30)
const HOUR = 3_600_000
/** Numbers around today's are times in milliseconds. */
const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value - Date.now()) < 400 * 24 * HOUR

/** Answers that are always the same, or made so of what the server says, by the end of their path. */
export type Answers = Record<string, unknown>
type Change = (value: any) => unknown

/** Sums are of random ids and times; this one stands for each of them. */
const SUM = '9f3c7a20e5b1486dd04a6c1f8e2b95730c4d1ea76f38b25990ab64ce13f7d85b'
/** What moves on every page: alarms of a stream that has run for seconds. */
const ALWAYS: Answers = {
  '/inbox': (waiting: { kind: string }[]) => waiting.filter(({ kind }) => kind !== 'stream-silent' && kind !== 'stream-under-goal'),
}

/** Times as they would be had the server started at that time: whole hours, since seconds differ. */
function held(value: unknown, unit: number): unknown {
  if (typeof value === 'string') return value.replace(/\b[0-9a-f]{64}\b/g, SUM)
  if (isTime(value)) return AT + Math.round((value - Date.now()) / unit) * unit
  if (Array.isArray(value)) return value.map((one) => held(one, unit))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, held(one, unit)]))
}

/** Holds a page still; gives a function that waits until it has read all that it asks for. */
export async function hold(page: Page, answers: Answers = {}, live = false): Promise<() => Promise<void>> {
  const made = { ...ALWAYS, ...answers }
  let [asking, last] = [0, Date.now()]
  await page.clock.setFixedTime(AT)
  await page.route('**/api/v1/**', async (route: Route) => {
    const path = new URL(route.request().url()).pathname
    if (path.endsWith('/events')) {
      if (live) return route.continue()
      const news = (answers['/events'] as { kind: string; body: unknown }[] | undefined) ?? []
      const body = news.map(({ kind, body }, place) => `id: ${place + 1}\nevent: ${kind}\ndata: ${JSON.stringify(body)}\n\n`).join('')
      return route.fulfill({ contentType: 'text/event-stream', body })
    }
    if (route.request().method() !== 'GET') return route.continue()
    asking += 1
    try {
      await answer(route, path, made)
    } finally {
      asking -= 1
      last = Date.now()
    }
  })
  return async () => {
    while (asking > 0 || Date.now() - last < 500) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function answer(route: Route, path: string, made: Answers): Promise<void> {
  const end = Object.keys(made).find((end) => path.endsWith(end))
  const fixed = end === undefined ? undefined : made[end]
  if (fixed !== undefined && typeof fixed !== 'function') return route.fulfill({ json: fixed })
  const response = await route.fetch()
  if (!response.headers()['content-type']?.startsWith('application/json')) return route.fulfill({ response })
  const said: unknown = await response.json()
  // When the session locks must be after now, and its token is no sum.
  const value = path.endsWith('/session') ? { ...(held(said, 1) as object), token: (said as { token: string }).token } : held(said, HOUR)
  return route.fulfill({ response, json: fixed && response.ok() ? (fixed as Change)(value) : value })
}
