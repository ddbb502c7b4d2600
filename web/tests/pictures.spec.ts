// Pages look as they did: pictures that are compared, and that the manual shows. `npm run pictures`
// takes them anew.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { quiet } from './playwright.config.ts'
import { call, enter, expect, test, type Page, type Server } from './moretta.ts'
import { hold } from './pictures/fixed.ts'
import { PICTURES } from './pictures/list.ts'

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

interface Me {
  projects: { project: string; name: string }[]
}
async function projects(page: Page): Promise<Map<string, string>> {
  const me = (await call(page, 'GET', '/me')) as Me
  return new Map(me.projects.map((one) => [one.name, one.project]))
}

let prepared: Server | undefined
/** What waits and what was published, once for each demonstration. */
async function prepare(page: Page, demo: Server): Promise<void> {
  if (prepared === demo) return
  await enter(page, demo, 'steward')
  const known = await projects(page)
  const items = async (path: string) => ((await call(page, 'GET', path)) as { items: { policy_version: string; state: string }[] }).items
  await expect.poll(async () => (await items(`/projects/${known.get('hospital')}/releases`)).length, { timeout: 60_000 }).toBe(1)
  const streams = `/projects/${known.get('shop')}/streams`
  await expect.poll(async () => (await items(streams))[0]?.state, { timeout: 60_000 }).toBe('running')
  const [visits] = await items(streams)
  await call(page, 'POST', streams, { name: 'visits of the outlet', policy_version: visits?.policy_version, level: 3 })
  prepared = demo
}

for (const { name, person, path, ready, look, width, answers, live, covered } of PICTURES) {
  test(`the picture of ${name}`, async ({ page, demo }) => {
    await prepare(page, demo)
    await enter(page, demo, person)
    const known = await projects(page)
    const to = path.replace(/:(shop|hospital)/, (_, project: string) => known.get(project) ?? '')
    await page.setViewportSize({ width: width ?? 1280, height: 800 })
    await page.emulateMedia({ colorScheme: look ?? 'light', reducedMotion: 'reduce' })
    await hold(page, answers, live)
    await page.goto(demo.address + to)
    await expect(ready(page).first()).toBeVisible()
    await expect(page).toHaveScreenshot(`${name}.png`, {
      animations: 'disabled',
      caret: 'hide',
      mask: covered?.(page) ?? [],
      maskColor: '#d9dee4',
      maxDiffPixelRatio: 0.002,
    })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
}

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
