// What moves is held still for pictures: the clock, the times in what the server answers, the live line.
import type { Page, Route } from '@playwright/test'

/** When all pictures are taken, Greenwich. */
export const AT = Date.UTC(2026, 4, 12, 10, 30)
const HOUR = 3_600_000
/** Numbers around today's are times in milliseconds. */
const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value - Date.now()) < 400 * 24 * HOUR

/** Answers that are always the same, by the end of their path; the others come from the server. */
export type Answers = Record<string, unknown>

/** Times as they would be had the server started at that time: whole hours, since seconds differ. */
function held(value: unknown, unit: number): unknown {
  if (isTime(value)) return AT + Math.round((value - Date.now()) / unit) * unit
  if (Array.isArray(value)) return value.map((one) => held(one, unit))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, held(one, unit)]))
}

export async function hold(page: Page, answers: Answers = {}, live = false): Promise<void> {
  await page.clock.setFixedTime(AT)
  await page.route('**/api/v1/**', async (route: Route) => {
    const path = new URL(route.request().url()).pathname
    const fixed = Object.keys(answers).find((end) => path.endsWith(end))
    if (route.request().method() !== 'GET' || (live && path.endsWith('/events'))) return route.continue()
    if (path.endsWith('/events')) {
      const news = (answers['/events'] as { kind: string; body: unknown }[] | undefined) ?? []
      const body = news.map(({ kind, body }, place) => `id: ${place + 1}\nevent: ${kind}\ndata: ${JSON.stringify(body)}\n\n`).join('')
      return route.fulfill({ contentType: 'text/event-stream', body })
    }
    if (fixed) return route.fulfill({ json: answers[fixed] })
    const response = await route.fetch()
    if (!response.headers()['content-type']?.startsWith('application/json')) return route.fulfill({ response })
    // When the session locks is not shown, and must be after now.
    const unit = path.endsWith('/session') ? 1 : HOUR
    return route.fulfill({ response, json: held(await response.json(), unit) })
  })
}
