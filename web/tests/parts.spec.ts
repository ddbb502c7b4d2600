// The shared parts by themselves, under the policy that the server sets for pages.
import { createReadStream, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { extname, join } from 'node:path'
import jsQR from 'jsqr'
import { build } from 'vite'
import { qr } from '../src/words/qr.ts'
import type { Locator } from '@playwright/test'
import { expect, folder, looksRight, test as base, type Page } from './moretta.ts'

const KINDS: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' }

/** The policy as the server has it. */
function policy(): string {
  const source = readFileSync(new URL('../../crates/moretta-server/src/http/guard.rs', import.meta.url), 'utf8')
  const found = /"content-security-policy",\s*"([^"]+)"/.exec(source)?.[1] ?? ''
  return found.replace(/\\\n\s*/g, '')
}

const test = base.extend<object, { gallery: string }>({
  gallery: [
    async ({}, use) => {
      const made = folder()
      await build({ configFile: join(import.meta.dirname, 'gallery/vite.config.ts'), build: { outDir: made.path, emptyOutDir: true } })
      const csp = policy()
      expect(csp).toContain("default-src 'none'")
      const server: Server = createServer((request, response) => {
        const name = request.url === '/' ? '/index.html' : (request.url ?? '')
        response.writeHead(KINDS[extname(name)] ? 200 : 404, { 'content-security-policy': csp, 'content-type': KINDS[extname(name)] ?? 'text/plain' })
        if (KINDS[extname(name)]) createReadStream(join(made.path, name)).pipe(response)
        else response.end()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`)
      server.close()
      server.closeAllConnections()
      made.remove()
    },
    { scope: 'worker' },
  ],
})

/** What the server would keep and tell. */
const job = { id: 'j', kind: 'preview', state: 'running', user: 'u', attempts: 1, made_at: 1, begun_at: 2, progress: { stage: 'cutting', rows: 1000, share: 0.25 } }
let draft: string | undefined

test.beforeEach(async ({ page, gallery }) => {
  draft = undefined
  await page.route('**/api/v1/**', async (route) => {
    const [request, path] = [route.request(), new URL(route.request().url()).pathname]
    const json = (status: number, body: unknown) => route.fulfill({ status, contentType: status < 400 ? 'application/json' : 'application/problem+json', body: JSON.stringify(body) })
    if (path.endsWith('/jobs/j')) return json(200, job)
    if (path.endsWith('/events')) {
      const news = { id: 'j', state: 'running', stage: 'writing', rows: 3000, share: 0.75 }
      return route.fulfill({ contentType: 'text/event-stream', body: `: still there\n\nid: 7\nevent: job\ndata: ${JSON.stringify(news)}\n\n` })
    }
    if (path.endsWith('/me/drafts/gallery') && request.method() === 'PUT') {
      draft = request.postData() ?? ''
      return route.fulfill({ status: 204 })
    }
    if (draft !== undefined && path.endsWith('/me/drafts/gallery')) return json(200, JSON.parse(draft))
    return json(404, { title: 'there is no such draft', status: 404, code: 'not-found' })
  })
  await page.goto(gallery)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('canvas').first()).toBeVisible()
})

test('parts look right in both themes and on a small screen', async ({ page }) => {
  for (const summary of await page.locator('summary').all()) await summary.click()
  await looksRight(page)
})

/** A figure by its title, and the rows of its table as numbers. */
async function drawing(page: Page, title: string): Promise<{ figure: Locator; rows: number[][]; names: string[] }> {
  const figure = page.getByRole('figure').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
  await figure.locator('summary').click()
  await expect(figure.locator('details tbody tr').first()).toBeVisible()
  const cells = await figure.locator('details tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '')))
  const number = (text: string) => Number(text.replaceAll(',', '').replace('−', '-'))
  return { figure, rows: cells.map(([, ...rest]) => rest.map(number)), names: cells.map(([name]) => name ?? '') }
}
/** Places on the screen are those of the figures: one factor and one beginning for all of them. */
function fits(places: number[], figures: number[]): void {
  expect(places.length).toBe(figures.length)
  const [low, high] = [figures.indexOf(Math.min(...figures)), figures.indexOf(Math.max(...figures))]
  const a = ((places[high] ?? 0) - (places[low] ?? 0)) / ((figures[high] ?? 0) - (figures[low] ?? 0))
  for (const [at, place] of places.entries()) {
    expect(Math.abs((places[low] ?? 0) + a * ((figures[at] ?? 0) - (figures[low] ?? 0)) - place), `figure ${figures[at]} is at ${place}`).toBeLessThan(1.5)
  }
}
const sizes = (figure: Locator, what: string, attribute: string) => figure.locator(what).evaluateAll((all, attribute) => all.map((one) => Number(one.getAttribute(attribute))), attribute)

test('the table of each drawing has the figures that are drawn', async ({ page }) => {
  const bars = await drawing(page, 'Loss by column')
  expect(bars.rows.map((row) => row.at(-1))).toEqual([24, 21, 3])
  fits([0, ...(await sizes(bars.figure, 'rect.after', 'width'))], [0, ...bars.rows.map((row) => row.at(-1) ?? NaN)])
  fits([0, ...(await sizes(bars.figure, 'rect.before', 'width'))], [0, 30, 12])

  const histogram = await drawing(page, 'age')
  const told = histogram.rows.filter((row) => row.every((one) => !Number.isNaN(one)))
  expect(told).toHaveLength(4)
  await expect(histogram.figure.getByRole('row').last()).toContainText('few')
  for (const [column, what] of ['rect.before', 'rect.after'].entries()) {
    fits([0, ...(await sizes(histogram.figure, what, 'height'))], [0, ...told.map((row) => row[column] ?? NaN)])
  }

  const scatter = await drawing(page, 'Tried settings')
  for (const [column, attribute] of ['cx', 'cy'].entries()) {
    fits(await sizes(scatter.figure, 'circle:not(.target)', attribute), scatter.rows.map((row) => row[column] ?? NaN))
  }

  // Lines are drawn on a canvas: where the pointer is, the point of the line and the legend say the figure.
  const chart = await drawing(page, 'p_k')
  const over = chart.figure.locator('.u-over')
  await over.scrollIntoViewIfNeeded()
  const box = await over.boundingBox()
  const point = chart.figure.locator('.u-cursor-pt').first()
  const [places, figures]: [number[], number[]] = [[], []]
  expect(chart.rows).toHaveLength(60)
  for (const row of [1, 8, 15, 20, 31, 44, 58]) {
    await page.mouse.move((box?.x ?? 0) + (row / 59) * (box?.width ?? 0), (box?.y ?? 0) + (box?.height ?? 0) / 2)
    const [, ...legend] = await chart.figure.locator('.u-legend .u-value').allTextContents()
    expect(legend.slice(0, 2).map(parseFloat), `row ${row}`).toEqual(chart.rows[row])
    const spot = await point.boundingBox()
    places.push((spot?.y ?? 0) + (spot?.height ?? 0) / 2)
    figures.push(chart.rows[row]?.[0] ?? NaN)
  }
  expect(new Set(figures).size).toBeGreaterThan(2)
  fits(places, figures)
})

test('a table is sorted, read on, and walked through by arrows', async ({ page }) => {
  const names = () => page.getByRole('group', { name: 'Columns' }).locator('tbody a').allTextContents()
  expect(await names()).toEqual(['zip', 'age', 'education'])
  await page.getByRole('button', { name: 'Column', exact: true }).click()
  expect(await names()).toEqual(['age', 'education', 'zip'])
  await page.getByRole('button', { name: 'Values' }).click()
  expect(await names()).toEqual(['education', 'age', 'zip'])
  await page.getByRole('button', { name: 'Show more' }).click()
  expect(await names()).toHaveLength(4)
  await page.getByRole('link', { name: 'ward' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('link', { name: 'education' })).toBeFocused()
})

test('a question before an act asks for the reason', async ({ page }) => {
  await page.getByRole('button', { name: 'Ask before' }).click()
  const dialog = page.getByRole('dialog', { name: 'Really' })
  await dialog.getByRole('button', { name: 'Do it' }).click()
  await expect(dialog).toBeVisible()
  await dialog.getByLabel('Why so').fill('it is so')
  await dialog.getByRole('button', { name: 'Do it' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('region', { name: 'What was done' })).toContainText('Done: it is so')
})

test('a form is made from a schema', async ({ page }) => {
  const value = async () => JSON.parse((await page.locator('[data-value]').textContent()) ?? '') as unknown
  await page.getByLabel('k', { exact: true }).last().fill('1')
  await expect(page.getByText('this is at least 2')).toBeVisible()
  await page.getByLabel('k', { exact: true }).last().fill('7')
  await page.getByLabel('suppress', { exact: true }).fill('0.05')
  await page.getByLabel('every', { exact: true }).selectOption('a text')
  await page.getByLabel('goals').fill('1, 2.5')
  await page.getByLabel('goals').blur()
  await page.getByLabel('Name of another entry of columns').fill('age')
  await page.getByLabel('Name of another entry of columns').press('Enter')
  expect(await value()).toEqual({
    name: 'mondrian',
    k: 7,
    suppress: 0.05,
    every: '30s',
    goals: [1, 2.5],
    columns: { zip: { role: 'quasi' }, age: {} },
  })
})

test('errors of a text lead to their place', async ({ page }) => {
  const area = page.getByLabel('policy.toml')
  await page.getByRole('button', { name: 'Line 5' }).click()
  await expect(area).toBeFocused()
  expect(await area.evaluate((one: HTMLTextAreaElement) => one.value.slice(one.selectionStart, one.selectionStart + 4))).toBe('"pra')
})

test('points are chosen by arrows, dialogs end with Escape, what was done is undone', async ({ page }) => {
  await page.getByRole('button', { name: 'k = 10' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-chosen]')).toHaveText('a')
  await page.getByRole('button', { name: 'Open a dialog' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('button', { name: 'Delete with undo' }).click()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByText('Undone: 1')).toBeVisible()
})

test('of many sentences the last one is spoken', async ({ page }) => {
  const spoken: string[] = []
  await page.exposeFunction('hear', (sentence: string) => spoken.push(sentence))
  await page.evaluate(() => {
    const voice = document.querySelector('[data-voice]')
    const told = () => (window as unknown as { hear: (text: string) => void }).hear(voice?.textContent ?? '')
    if (voice) new MutationObserver(told).observe(voice, { childList: true, characterData: true, subtree: true })
  })
  await page.getByRole('button', { name: 'Speak' }).click()
  await page.getByRole('button', { name: 'Speak' }).click()
  await expect.poll(() => spoken.at(-1)).toBe('three')
  expect(spoken).toHaveLength(1)
})

test('a draft is kept every two seconds, and goes back step by step', async ({ page }) => {
  const [field, saved] = [page.getByLabel('Draft'), page.locator('[data-saved]')]
  await field.fill('one')
  await expect(saved).toHaveText('saved')
  await field.fill('one two')
  await expect(saved).toHaveText('not saved')
  await expect(saved).toHaveText('saved')
  expect(draft).toBe('{"content":{"text":"one two"}}')
  await page.getByRole('button', { name: 'Undo it' }).click()
  await expect(field).toHaveValue('one')
  await page.getByRole('button', { name: 'Redo it' }).click()
  await expect(field).toHaveValue('one two')
  await expect(saved).toHaveText('saved')
  await page.reload()
  await expect(field).toHaveValue('one two')
})

test('a job is shown as it goes on', async ({ page }) => {
  const bar = page.getByRole('progressbar', { name: 'writing' })
  await expect(bar).toHaveAttribute('value', '0.75')
  await expect(page.getByText('3,000 rows')).toBeVisible()
})

test('pictures of texts are read as these texts', () => {
  for (const length of [1, 14, 15, 100, 130, 152, 180, 213]) {
    const text = Array.from({ length }, (_, place) => String.fromCharCode(33 + ((place * 7) % 90))).join('')
    const modules = qr(text)
    const [border, scale] = [4, 4]
    const side = (modules.length + 2 * border) * scale
    const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) {
        const dark = modules[Math.floor(y / scale) - border]?.[Math.floor(x / scale) - border]
        if (dark) pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3)
      }
    expect(jsQR(pixels, side, side)?.data, `${length} letters`).toBe(text)
  }
  expect(() => qr('x'.repeat(214))).toThrow()
})
