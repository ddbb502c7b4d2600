// The way in: links, first pages, the lock, the second factor, the keyboard alone.
import type { Request } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, codeOf, enter, expect, folder, looksRight, Server, test, type Page, type Person } from './moretta.ts'
import { prepared, projectOf } from './made.ts'

test('a link of the demonstration signs in, and its secret leaves the address', async ({ page, demo }) => {
  await enter(page, demo, 'officer')
  expect(page.url()).toBe(`${demo.address}/inbox`)
  await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible()
  await expect(page).toHaveTitle(/Inbox/)
})

test('who comes first to which page', async ({ page, demo }) => {
  await enter(page, demo, 'steward')
  await expect(page).toHaveURL(/\/projects\/[0-9a-f]{32}$/)
  await enter(page, demo, 'operator')
  await expect(page.getByRole('heading', { level: 1, name: 'Streams' })).toBeVisible()
})

/** Who opens which page, for what it weighs. */
const OPENS: Record<string, Person> = {
  '/admin': 'administrator',
  '/audit': 'auditor',
  '/projects/:project/raw': 'clinician',
  '/projects/:project/ledger': 'officer',
  '/projects/:project/audit': 'officer',
  '/projects/:project/members': 'officer',
}

test('every page is small, opened as the first one', async ({ page, demo, browser }) => {
  test.setTimeout(240_000)
  const list = readFileSync(join(import.meta.dirname, '../src/pages/list.ts'), 'utf8')
  const paths = [...list.matchAll(/^ {4}path: '(.*)',/gm)].map(([, path]) => path ?? '').filter((path) => path !== '/')
  expect(paths.length).toBeGreaterThan(20)
  await enter(page, demo, 'steward')
  const hospital = await prepared(page)
  const shop = await projectOf(page, 'shop')
  const first = async (path: string) => ((await call(page, 'GET', path)) as { items: { id: string }[] }).items[0]?.id ?? ''
  const [release, stream] = [await first(`/projects/${hospital}/releases`), await first(`/projects/${shop}/streams`)]
  const weights: Record<string, number> = {}
  for (const path of paths) {
    await enter(page, demo, OPENS[path] ?? 'steward')
    const project = path.includes('/streams') ? shop : hospital
    const to = path.replace(':project', project).replace(/:(request|release)/, release).replace(':stream', stream)
    // With the session, but with nothing that was loaded before.
    const context = await browser.newContext({ storageState: await page.context().storageState() })
    const fresh = await context.newPage()
    const files: Request[] = []
    fresh.on('requestfinished', (request) => files.push(request))
    await fresh.goto(demo.address + to)
    await expect(fresh.getByRole('heading', { level: 1 })).toBeVisible()
    // Charts are loaded when there is something to draw.
    await fresh.waitForTimeout(500)
    const sizes = await Promise.all(files.filter((file) => !file.url().includes('/api/')).map((file) => file.sizes()))
    weights[path] = sizes.reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0)
    await context.close()
  }
  console.log(`bytes of pages: ${JSON.stringify(weights)}`)
  for (const [path, weight] of Object.entries(weights)) {
    expect(weight, path).toBeGreaterThan(10_000)
    expect(weight, path).toBeLessThan(200_000)
  }
})

test('how soon the first page is painted is told', async ({ page, demo }) => {
  await enter(page, demo, 'officer')
  const paints: number[] = []
  for (let times = 0; times < 5; times++) {
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible()
    paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN))
  }
  console.log(`first paint of a warm server, in ms: ${paints.map(Math.round).join(', ')}`)
  expect(paints.every((paint) => paint > 0)).toBe(true)
})

test('the lock empties the page and leads back to it', async ({ page, demo }) => {
  await enter(page, demo, 'steward')
  const address = page.url()
  await expect(page.getByRole('heading', { name: 'Releases' })).toBeVisible()
  await page.getByRole('button', { name: 'Lock' }).click()
  await expect(page.getByRole('button', { name: 'Unlock' })).toBeVisible()
  expect(await page.textContent('body')).not.toContain('admissions')
  await looksRight(page)
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByRole('heading', { name: 'Releases' })).toBeVisible()
  expect(page.url()).toBe(address)
})

test('what one tab does with the session the others follow', async ({ page, demo, context }) => {
  await enter(page, demo, 'steward')
  const other = await context.newPage()
  let lines = 0
  context.on('request', (request) => (lines += request.url().endsWith('/events') ? 1 : 0))
  await other.goto(page.url())
  await expect(other.getByRole('heading', { name: 'Releases' })).toBeVisible()
  expect(lines, 'one tab listens for all').toBe(0)
  await page.getByRole('button', { name: 'Lock' }).click()
  await expect(other.getByRole('heading', { name: 'Locked' })).toBeVisible()
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(other.getByRole('heading', { name: 'Releases' })).toBeVisible()
})

test('when the tab that listens is closed, another one takes its place', async ({ page, demo, context, browser }) => {
  const listening: Page[] = []
  context.on('request', (request) => void (request.url().endsWith('/events') && listening.push(request.frame().page())))
  await enter(page, demo, 'officer')
  await expect.poll(() => listening).toEqual([page])
  const other = await context.newPage()
  await other.goto(`${demo.address}/inbox`)
  await expect(other.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible()

  // By the first tab, then without it.
  const steward = await (await browser.newContext()).newPage()
  await enter(steward, demo, 'steward')
  const shop = await projectOf(steward, 'shop')
  const define = async (name: string) => {
    const { items } = (await call(steward, 'GET', `/projects/${shop}/streams`)) as { items: { policy_version: string }[] }
    await call(steward, 'POST', `/projects/${shop}/streams`, { name, policy_version: items[0]?.policy_version, level: 2 })
  }
  const told = (name: string) => expect(other.getByRole('strong').filter({ hasText: name })).toBeVisible()
  await define('heard by the first tab')
  await told('heard by the first tab')
  expect(listening, 'one tab listens for all').toEqual([page])
  await page.close()
  await expect.poll(() => listening.at(-1) === other).toBe(true)
  await define('heard by the second tab')
  await told('heard by the second tab')
  await steward.context().close()
})

test('a break of the policy is seen in every window', async ({ page, demo, browser, broken }) => {
  await enter(page, demo, 'officer')
  const other = await (await browser.newContext()).newPage()
  await enter(other, demo, 'analyst')
  for (const [place, window] of [page, other].entries()) {
    await window.evaluate(() => document.body.setAttribute('style', 'color: red'))
    await window.evaluate(() => document.body.append(Object.assign(document.createElement('script'), { text: 'document.title = "run"' }))).catch(() => undefined)
    await expect.poll(() => broken.length, { message: `window ${place}` }).toBeGreaterThan(0)
    expect(await window.title()).not.toBe('run')
    broken.splice(0)
  }
  await other.evaluate(() => void setTimeout(() => { throw new Error('thrown by a test') }))
  await expect.poll(() => broken.splice(0)).toEqual(['Error: thrown by a test'])
  await other.context().close()
})

test('the page warns before it locks', async ({ page, demo }) => {
  await page.clock.install()
  await enter(page, demo, 'analyst')
  await expect(page.getByRole('button', { name: 'Stay' })).toBeHidden()
  await page.clock.fastForward('29:10')
  await expect(page.getByRole('button', { name: 'Stay' })).toBeVisible()
})

test('what is asked for is in the inbox at once', async ({ page, demo, browser }) => {
  await enter(page, demo, 'officer')
  const context = await browser.newContext()
  const steward = await context.newPage()
  await enter(steward, demo, 'steward')
  const hospital = await projectOf(steward, 'hospital')
  const [data, policies] = (await Promise.all(
    ['datasets', 'policies'].map((list) => call(steward, 'GET', `/projects/${hospital}/${list}`)),
  )) as { items: { id: string; last: { id: string } }[] }[]
  const policy = (await call(steward, 'GET', `/projects/${hospital}/policies/${policies?.items[0]?.id}`)) as { id: string }
  await call(steward, 'POST', `/projects/${hospital}/requests`, {
    name: 'Admissions again',
    purpose: 'to be reviewed',
    data: data?.items[0]?.last.id,
    policy: policy.id,
    levels: [2],
  })
  await expect(page.getByRole('strong').filter({ hasText: 'Admissions again' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText(/Inbox\s*\d+\s*waiting/)
  await looksRight(page)
  await context.close()
})

test('pages look right in both themes and on a small screen', async ({ page, demo }) => {
  await page.goto(demo.address)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await looksRight(page)
  await enter(page, demo, 'steward')
  await expect(page.getByRole('heading', { name: 'Releases' })).toBeVisible()
  await looksRight(page)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('dialog', { name: 'Search' }).getByRole('searchbox').fill('a')
  await looksRight(page)
  await page.goto(`${demo.address}/account`)
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
  await looksRight(page)
  const missing = await page.goto(`${demo.address}/nothing/here`)
  expect(missing?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible()
  await looksRight(page)
})

test('a project of others is none', async ({ page, demo }) => {
  await enter(page, demo, 'operator')
  await page.goto(`${demo.address}/projects/${'0'.repeat(32)}`)
  await expect(page.getByText('There is no such project')).toBeVisible()
})

test('colours follow the switch', async ({ page, demo }) => {
  await enter(page, demo, 'analyst')
  await page.goto(`${demo.address}/account`)
  await page.getByLabel('Colours').selectOption('dark')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.getByLabel('Colours').selectOption('system')
  await expect(page.locator('html')).not.toHaveAttribute('data-theme')
})

test('with the keyboard alone', async ({ page, demo }) => {
  await enter(page, demo, 'steward')
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Releases' })).toBeVisible()
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('To the content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  // The other project, by the menu of projects.
  await page.getByRole('button', { name: 'hospital' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toContain('shop')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'shop' })).toBeVisible()
  // The account, by the search.
  await page.keyboard.press('/')
  await page.keyboard.type('acc')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible()
  // The lock and back.
  await page.getByRole('button', { name: 'Lock' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Locked' })).toBeVisible()
  await page.getByRole('button', { name: 'Unlock' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible()
  // Focus is always seen.
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)).not.toBe('none')
})

test('a new server: setup, second factor, lock, invitation', async ({ page, browser }) => {
  const own = folder()
  const server = await Server.start(['--data', `${own.path}/data`, '--keys', `${own.path}/keys`], /#setup=\w+/)
  const password = 'a heron stands in shallow water'
  await page.goto(/\S+#setup=\w+/.exec(server.said)?.[0] ?? '')
  await expect(page.getByRole('heading', { name: 'Set this server up' })).toBeVisible()
  expect(page.url()).not.toContain('#')
  await looksRight(page)
  await page.getByLabel('Name').fill('first')
  await page.getByLabel('Password', { exact: true }).fill('password1234')
  await page.getByLabel('Password again').fill('password1234')
  await page.getByRole('button', { name: 'Begin' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Password again').fill(password)
  await page.getByRole('button', { name: 'Begin' }).click()

  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible()
  await page.getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Begin' }).click()
  await expect(page.getByRole('img', { name: 'The secret as a picture' })).toBeVisible()
  await looksRight(page)
  const secret = (await page.locator('.secret code').textContent()) ?? ''
  await page.getByLabel('First code').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Set it up' }).click()
  await expect(page.locator('.codes code')).toHaveCount(10)
  const recovery = await page.locator('.codes code').allTextContents()
  await page.getByLabel('I have kept them').check()
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Admin' })).toBeVisible()

  await page.goto(`${server.address}/account`)
  await page.getByRole('button', { name: 'Lock' }).click()
  await page.getByLabel('Password', { exact: true }).fill('not this one at all')
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByRole('alert')).toContainText('wrong')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible()

  const invited = (await call(page, 'POST', '/users', { name: 'second' })) as { link: string }
  await page.getByRole('button', { name: 'first' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()

  await page.getByLabel('Name').fill('first')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Code').fill(recovery[0] ?? '')
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Admin' })).toBeVisible()

  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(`${server.address}/#link=${invited.link}`)
  await expect(other.getByRole('heading', { name: 'Accept your invitation' })).toBeVisible()
  await expect(other.getByLabel('Name')).toHaveValue('second')
  await other.getByLabel('Password', { exact: true }).fill(password)
  await other.getByLabel('Password again').fill(password)
  await other.getByRole('button', { name: 'Begin' }).click()
  await expect(other.getByRole('button', { name: 'second' })).toBeVisible()
  await context.close()
  await server.end()
  own.remove()
})
