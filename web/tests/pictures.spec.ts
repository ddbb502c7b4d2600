// Pages look as they did: pictures that are compared, and that the manual shows. `npm run pictures`
// takes them anew.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { quiet } from './playwright.config.ts'
import { call, enter, expect, test, type Page, type Server } from './moretta.ts'
import { LEVELS, policy, prepared as published, projectOf, ready as waiting } from './made.ts'
import { hold } from './pictures/fixed.ts'
import { PICTURES, type Picture } from './pictures/list.ts'

const here = join(import.meta.dirname, 'pictures')
const manual = join(import.meta.dirname, '../../docs/src')

test.use({
  timezoneId: 'UTC',
  locale: 'en',
  launchOptions: {
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [...quiet, '--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb', '--hide-scrollbars'],
    env: { ...(process.env as Record<string, string>), FONTCONFIG_FILE: join(here, 'fonts.conf') },
  },
})

/** Addresses of what the demonstration has, by the names that pictures use. */
let places: Record<string, string> = {}
let prepared: Server | undefined
/** What was published, what waits and what runs, once for each demonstration. */
async function prepare(page: Page, demo: Server): Promise<void> {
  if (prepared === demo) return
  await enter(page, demo, 'steward')
  const [hospital, shop] = [await published(page), await projectOf(page, 'shop')]
  const items = async (path: string) => ((await call(page, 'GET', path)) as { items: { id: string; policy_version: string; state: string }[] }).items
  const streams = `/projects/${shop}/streams`
  await expect.poll(async () => (await items(streams))[0]?.state, { timeout: 60_000 }).toBe('running')
  const [visits] = await items(streams)
  await call(page, 'POST', streams, { name: 'visits of the outlet', policy_version: visits?.policy_version, level: 3 })
  const [release] = await items(`/projects/${hospital}/releases`)
  const version = await policy(page, hospital, 'two levels', (text) => text + LEVELS)
  const request = await waiting(page, hospital, 'Admissions by level', version, [2, 3], 'Planning of beds, by region')
  places = { hospital, shop, request, release: release?.id ?? '' }
  prepared = demo
}

/** Letters of one size differ in some ten points: a changed word is found, and nothing else may move. */
const COMPARED = { animations: 'disabled', caret: 'hide', maskColor: '#d9dee4', threshold: 0.1, maxDiffPixels: 12 } as const

async function show(page: Page, demo: Server, { person, path, act, ready, look, width, height, top, answers, live }: Picture): Promise<void> {
  await prepare(page, demo)
  await enter(page, demo, person)
  await page.setViewportSize({ width: width ?? 1280, height: height ?? 800 })
  await page.emulateMedia({ colorScheme: look ?? 'light', reducedMotion: 'reduce' })
  const settled = await hold(page, answers, live)
  await page.goto(demo.address + path.replace(/:(\w+)/g, (_, name: string) => places[name] ?? ''))
  await act?.(page)
  await expect(ready(page).first()).toBeVisible()
  await expect(page.getByRole('progressbar').or(page.locator('[aria-busy="true"]'))).toHaveCount(0)
  await settled()
  await top?.(page).first().evaluate((one) => scrollBy(0, one.getBoundingClientRect().top - 72))
}

for (const picture of PICTURES) {
  test(`the picture of ${picture.name}`, async ({ page, demo }) => {
    await show(page, demo, picture)
    await expect(page).toHaveScreenshot(`${picture.name}.png`, { ...COMPARED, mask: picture.covered?.(page) ?? [] })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
}

test('a changed word and a changed digit are found', async ({ page, demo }) => {
  const project = PICTURES.find(({ name }) => name === 'project') as Picture
  await show(page, demo, project)
  await expect(page).toHaveScreenshot('project.png', COMPARED)
  for (const [was, other] of [['by you', 'by him'], ['424 kB', '425 kB']] as const) {
    const word = page.getByText(was, { exact: true }).first()
    await word.evaluate((one, other) => (one.textContent = other), other)
    await expect(page, `${was} is now ${other}`).not.toHaveScreenshot('project.png', COMPARED)
    await page.getByText(other, { exact: true }).first().evaluate((one, was) => (one.textContent = was), was)
    await expect(page).toHaveScreenshot('project.png', COMPARED)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('pictures are small, and none is left over', () => {
  const files = readdirSync(here).filter((file) => file.endsWith('.png'))
  expect(files.sort()).toEqual(PICTURES.map(({ name }) => `${name}.png`).sort())
  for (const file of files) expect(statSync(join(here, file)).size, file).toBeLessThan(60_000)
})

test('the manual shows these pictures', () => {
  const tour = readFileSync(join(manual, 'tutorials/web-tour.md'), 'utf8')
  for (const { name } of PICTURES.filter(({ shown }) => shown)) {
    const copy = join(manual, `images/web-${name}.png`)
    expect(existsSync(copy) && readFileSync(copy).equals(readFileSync(join(here, `${name}.png`))), `${copy}: npm run pictures copies it`).toBe(true)
    expect(tour).toContain(`../images/web-${name}.png`)
  }
})
