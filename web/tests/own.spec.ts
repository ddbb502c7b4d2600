// A server of one's own, where people have passwords: an empty project, the idle lock in the middle of an
// edit, sessions, passwords, tokens and second factors. Its clock is moved instead of waiting.
import type { Browser, BrowserContext, Locator } from '@playwright/test'
import { call, codeOf, expect, folder, looksRight, Server, ServerClock, test, type Page } from './moretta.ts'

const PASSWORD = 'a heron stands in shallow water'
const MINUTE = 60_000
const clock = new ServerClock()
const place = folder()
let server: Server
let admin: Page
const secrets = new Map<string, string>()
const contexts: BrowserContext[] = []

/** A code of an authenticator that was not used before. */
function code(of: string): string {
  clock.forward(30_000)
  return codeOf(of, clock.now())
}
async function accept(page: Page, link: string, name?: string): Promise<void> {
  await page.goto(link)
  if (name) await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Password again').fill(PASSWORD)
  await page.getByRole('button', { name: 'Begin' }).click()
}
async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.goto(server.address)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
async function browserOf(context: BrowserContext): Promise<Page> {
  contexts.push(context)
  return context.newPage()
}
/** Invites somebody, who accepts in a browser of their own. */
async function invite(page: Page, name: string): Promise<string> {
  const { user, link } = (await call(admin, 'POST', '/users', { name })) as { user: string; link: string }
  await accept(page, `${server.address}/#link=${link}`)
  await expect(page.getByRole('button', { name, exact: true })).toBeVisible()
  return user
}

/** A second factor for who is signed in; gives its secret. */
async function factorOf(page: Page): Promise<string> {
  const made = (await call(page, 'POST', '/me/factor', { password: PASSWORD })) as { secret: string }
  await call(page, 'PUT', '/me/factor', { code: code(made.secret) })
  return made.secret
}
/** Signs in, in a browser of their own, with both factors. */
async function signedIn(browser: Browser, name: string): Promise<Page> {
  const page = await browserOf(await browser.newContext())
  await signIn(page, name)
  await page.getByLabel('Code').fill(code(secrets.get(name) ?? ''))
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByRole('button', { name, exact: true })).toBeVisible()
  return page
}

/** A steward whom two administrators have granted, with a project that has nothing yet; gives it. */
async function stewardOf(page: Page, browser: Browser, name: string, projectName: string): Promise<string> {
  const user = await invite(page, name)
  secrets.set(name, await factorOf(page))
  const asks = await signedIn(browser, 'first')
  const { id } = (await call(asks, 'POST', '/projects', { name: projectName })) as { id: string }
  await call(asks, 'POST', `/projects/${id}/members`, { user, role: 'steward', level: null, ends_at: null, reason: 'keeps the data' })
  const grants = await signedIn(browser, 'second')
  await grants.goto(`${server.address}/inbox`)
  await grants.getByRole('article').filter({ hasText: 'keeps the data' }).getByRole('button', { name: 'Grant' }).click()
  await expect(grants.getByRole('region', { name: 'What was done' })).toContainText('Granted')
  return id
}

/** The same with made-up data and a first policy of them. */
async function preparedOf(page: Page, browser: Browser, name: string, projectName: string): Promise<string> {
  const id = await stewardOf(page, browser, name, projectName)
  await page.goto(`${server.address}/projects/${id}/data`)
  await page.getByRole('button', { name: 'Begin with made-up admissions' }).click()
  const first = page.getByRole('region', { name: 'A first policy' })
  await first.getByLabel('Name of the policy').fill('admissions')
  await first.getByRole('button', { name: 'Save the policy' }).click()
  await expect(first).toContainText('Saved as admissions')
  return id
}

test.beforeAll(async ({ browser }) => {
  server = await Server.start(['--data', `${place.path}/data`, '--keys', `${place.path}/keys`], /#setup=[^]*#setup=\w+\s/, clock)
  const links = server.said.match(/\S+#setup=\w+/g) ?? []
  for (const [at, name] of ['first', 'second'].entries()) {
    admin = await browserOf(await browser.newContext())
    await accept(admin, links[at] ?? '', name)
    await expect(admin.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible()
    secrets.set(name, await factorOf(admin))
  }
})
// The clock has moved on since the last story.
test.beforeEach(async ({ browser }) => {
  admin = await signedIn(browser, 'first')
  await admin.goto(`${server.address}/admin`)
  await expect(admin.getByRole('heading', { level: 1, name: 'Admin' })).toBeVisible()
})
test.afterAll(async () => {
  for (const context of contexts) await context.close()
  await server.end()
  place.remove()
  clock.remove()
})

test('an empty project leads on, page by page', async ({ page, browser }) => {
  const project = await stewardOf(page, browser, 'beginner', 'meadow')
  const at = (path: string) => page.goto(`${server.address}/projects/${project}${path}`)
  await at('')
  await expect(page.getByRole('heading', { name: 'This project is empty' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'bring data' })).toHaveAttribute('href', `/projects/${project}/data`)
  await looksRight(page)
  for (const step of ['/explore', '/check', '/learn', '/requests']) {
    await at(step)
    await expect(page.getByRole('button', { name: 'Begin with made-up admissions' }), step).toBeVisible()
  }
  await at('/releases')
  await expect(page.getByRole('link', { name: 'Ask for a release' })).toBeVisible()
  // The sample from where one is, and then the next step.
  await at('/explore')
  await page.getByRole('button', { name: 'Begin with made-up admissions' }).click()
  await expect(page.getByRole('heading', { name: 'No policy yet' })).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Protect' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Protect' })).toBeVisible()
  await at('/requests')
  await expect(page.getByRole('heading', { name: 'There is no policy yet' })).toBeVisible()
})

test('an edit that is left alone is locked, kept, and gone on with', async ({ page, browser }) => {
  const project = await preparedOf(page, browser, 'keeper', 'clinic')
  await page.clock.install({ time: clock.now() })
  await page.goto(`${server.address}/projects/${project}/protect`)
  const text = page.getByLabel('policy.toml')
  await page.getByLabel('k', { exact: true }).fill('17')
  await expect(text).toHaveValue(/\nk = 17/)
  await expect(page.getByText('promised at least 17')).toBeVisible()
  const tried = page.waitForResponse((response) => response.url().endsWith('/jobs/preview'))
  await text.fill(`# The board wants a heron here.\n${await text.inputValue()}`)
  const kept = page.waitForResponse((response) => response.request().method() === 'PUT' && response.url().includes('/me/drafts/'))
  await page.clock.runFor(3000)
  expect((await kept).status()).toBe(204)
  await tried
  const address = page.url()

  // Nobody is there: a minute before, the page says so; then it is empty.
  clock.forward(9.2 * MINUTE)
  await call(admin, 'GET', '/session')
  await page.clock.fastForward('09:12')
  await expect(page.getByRole('button', { name: 'Stay' })).toBeVisible()
  await looksRight(page)
  clock.forward(MINUTE)
  await page.clock.fastForward('01:00')
  await expect(page.getByRole('heading', { name: 'Locked' })).toBeVisible()
  const left = await page.content()
  for (const word of ['heron', 'policy.toml', 'diagnosis', 'mondrian', 'clinic']) expect(left, word).not.toContain(word)
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]))).not.toContain('heron')
  await expect(call(page, 'GET', '/me/drafts')).rejects.toThrow('session-locked')
  await looksRight(page)

  // The draft is on the server, for the same person on another machine.
  const elsewhere = await signedIn(browser, 'keeper')
  const [draft] = (await call(elsewhere, 'GET', '/me/drafts')) as { name: string }[]
  expect(JSON.stringify(await call(elsewhere, 'GET', `/me/drafts/${draft?.name}`))).toContain('a heron here')

  await page.getByLabel('Password', { exact: true }).fill('not this one at all')
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByRole('alert')).toContainText('wrong')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Protect' })).toBeVisible()
  expect(page.url()).toBe(address)
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('17')
  await expect(text).toHaveValue(/^# The board wants a heron here\.\n/)
})

test('sessions end one by one, by a new password, and all at once by an administrator', async ({ page, browser }) => {
  await invite(page, 'nurse')
  const away = await browserOf(await browser.newContext())
  await signIn(away, 'nurse')
  await expect(away.getByRole('button', { name: 'nurse' })).toBeVisible()
  await page.goto(`${server.address}/account`)
  const sessions = page.getByRole('table', { name: 'Sessions' })
  await expect(sessions.getByRole('row')).toHaveCount(3)
  await sessions.getByRole('button', { name: /^End session/ }).click()
  await expect(sessions.getByRole('row')).toHaveCount(2)
  await expect(away.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 30_000 })

  await signIn(away, 'nurse')
  await expect(away.getByRole('button', { name: 'nurse' })).toBeVisible()
  const NEXT = 'an otter sleeps on its back'
  const change = async (before: string, after: string) => {
    await page.getByLabel('Password so far').fill(before)
    await page.getByLabel('New password').fill(after)
    await page.getByRole('button', { name: 'Change the password' }).click()
  }
  const alert = page.getByRole('region', { name: 'Password', exact: true }).getByRole('alert')
  await change('a wrong one altogether', NEXT)
  await expect(alert).toContainText('wrong')
  await change(PASSWORD, 'password1234')
  await expect(alert).toBeVisible()
  await change(PASSWORD, NEXT)
  await expect(page.getByRole('region', { name: 'What was done' })).toContainText('The password was changed')
  await expect(away.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' }), 'the own one goes on').toBeVisible()
  await signIn(away, 'nurse')
  await expect(away.getByRole('alert')).toContainText('wrong')
  await signIn(away, 'nurse', NEXT)
  await expect(away.getByRole('button', { name: 'nurse' })).toBeVisible()

  await admin.goto(`${server.address}/admin`)
  await admin.getByRole('button', { name: 'Manage nurse' }).click()
  await admin.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click()
  await admin.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click()
  await expect(admin.getByRole('region', { name: 'What was done' })).toContainText('2 sessions ended')
  for (const one of [page, away]) await expect(one.getByRole('heading', { name: 'Sign in' })).toBeVisible({ timeout: 30_000 })
})

test('a token does what it may until it is ended', async ({ page }) => {
  await invite(page, 'reader')
  await page.goto(`${server.address}/account`)
  await page.getByRole('button', { name: 'Make a token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('nightly copy')
  await dialog.getByRole('button', { name: 'Make it' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Choose at least one')
  await dialog.getByLabel('signed').check()
  await looksRight(page)
  await dialog.getByRole('button', { name: 'Make it' }).click()
  const token = (await dialog.locator('pre.secret').textContent()) ?? ''
  const ask = async (path: string) => (await fetch(`${server.address}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).status
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  expect(await page.content(), 'its secret is shown once').not.toContain(token)
  expect(await ask('/projects')).toBe(200)
  expect(await ask('/me/tokens'), 'nothing else').toBe(403)
  const row = page.getByRole('row', { name: /nightly copy/ })
  await expect(row).toContainText('signed')
  await row.getByRole('button', { name: 'End nightly copy' }).click()
  await expect(row).toHaveCount(0)
  expect(await ask('/projects')).toBe(401)
})

test('a second factor is set up, asked for, replaced, and removed by an administrator', async ({ page, browser }) => {
  await invite(page, 'auditor of bills')
  await page.goto(`${server.address}/account`)
  const dialog = page.getByRole('dialog')
  const setUp = async (before?: string) => {
    await page.getByRole('button', { name: before ? 'Set up another one' : 'Set one up' }).click()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    if (before) await dialog.getByLabel('Code of the second factor so far').fill(code(before))
    await dialog.getByRole('button', { name: 'Begin' }).click()
    const made = (await dialog.locator('.secret code').textContent()) ?? ''
    await dialog.getByLabel('First code').fill(code(made))
    await dialog.getByRole('button', { name: 'Set it up' }).click()
    // They are shown once: no key takes them away before they were kept.
    await expect(dialog.locator('.codes')).toBeVisible()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog.getByLabel('I have kept them').check()
    await dialog.getByRole('button', { name: 'Go on' }).click()
    await expect(page.getByText('10 recovery codes left.')).toBeVisible()
    return made
  }
  const first = await setUp()
  const second = await setUp(first)
  const away = await browserOf(await browser.newContext())
  await signIn(away, 'auditor of bills')
  await away.getByLabel('Code').fill(code(first))
  await away.getByRole('button', { name: 'Go on' }).click()
  await expect(away.getByRole('alert'), 'the one before is none any more').toContainText('wrong')
  await away.getByLabel('Code').fill(code(second))
  await away.getByRole('button', { name: 'Go on' }).click()
  await expect(away.getByRole('button', { name: 'auditor of bills' })).toBeVisible()

  // The administrator has shown theirs too long ago, and shows it again.
  await admin.goto(`${server.address}/admin`)
  await expect(admin.getByRole('button', { name: 'Manage auditor of bills' })).toBeVisible()
  for (let times = 0; times < 2; times++) {
    clock.forward(9 * MINUTE)
    await call(admin, 'GET', '/session')
  }
  await admin.getByRole('button', { name: 'Manage auditor of bills' }).click()
  await admin.getByRole('dialog').getByRole('button', { name: 'Remove the second factor' }).click()
  await admin.getByLabel('Why', { exact: true }).fill('the telephone is lost')
  await admin.getByRole('dialog').getByRole('button', { name: 'Remove the second factor' }).click()
  const again = admin.getByRole('dialog', { name: 'Show your second factor again' })
  await again.getByLabel('Code').fill('000000')
  await again.getByRole('button', { name: 'Go on' }).click()
  await expect(again.getByRole('alert')).toBeVisible()
  await again.getByLabel('Code').fill(code(secrets.get('first') ?? ''))
  await again.getByRole('button', { name: 'Go on' }).click()
  await expect(admin.getByRole('region', { name: 'What was done' })).toContainText('The second factor was removed')
  await expect(admin.getByRole('row', { name: /auditor of bills/ })).toContainText('none')
  await signIn(away, 'auditor of bills')
  await expect(away.getByRole('button', { name: 'auditor of bills' }), 'a password is enough').toBeVisible()
})

/** Goes on with Tab until this has the focus. */
async function tabTo(page: Page, to: Locator): Promise<void> {
  await expect(to).toBeVisible()
  for (let presses = 0; presses < 400; presses++) {
    if (await to.evaluate((one) => one === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${to}`)
}

test('from sign-in to a request, and through the lattice, by keys alone', async ({ page, browser }) => {
  test.setTimeout(240_000)
  const before = await browserOf(await browser.newContext())
  await preparedOf(before, browser, 'typist', 'ward of keys')
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const type = async (label: string, text: string) => {
    await tabTo(page, page.getByLabel(label, { exact: true }))
    await press('Control+a')
    await page.keyboard.type(text)
  }
  const enter = async (role: 'button' | 'link', name: string) => {
    await tabTo(page, page.getByRole(role, { name, exact: true }))
    await press('Enter')
  }
  await page.goto(server.address)
  await type('Name', 'typist')
  await type('Password', PASSWORD)
  await press('Enter')
  await type('Code', code(secrets.get('typist') ?? ''))
  await press('Enter')
  await expect(page.getByRole('button', { name: 'typist' })).toBeVisible()
  await enter('button', 'ward of keys')
  await press('ArrowDown')
  await expect(page.getByRole('link', { name: /^ward of keys/ })).toBeFocused()
  await press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'ward of keys' })).toBeVisible()

  await enter('link', 'Protect')
  await expect(page.getByText('promised at least 5')).toBeVisible()
  await type('k', '9')
  await expect(page.getByText('promised at least 9')).toBeVisible()
  await enter('button', 'Save version 2')
  await expect(page.getByText('As saved in version 2.')).toBeVisible()

  await enter('link', 'Request')
  await type('Name', 'Typed')
  await type('Purpose', 'Nobody touched a mouse')
  await enter('button', 'Run it and ask for approval')
  await expect(page.getByRole('heading', { level: 1, name: 'Typed' })).toBeVisible()
  await expect(page.getByText('waits for an officer', { exact: true })).toBeVisible({ timeout: 40_000 })

  await enter('link', 'Protect')
  await tabTo(page, page.getByLabel('mondrian cuts'))
  await press('ArrowDown', 'ArrowDown')
  await expect(page.getByLabel('lattice finds')).toBeChecked()
  await expect(page.getByText(/the draft is kept/)).toBeVisible()
  await enter('link', 'Explore')
  await enter('button', 'Look through the lattice')
  const node = page.getByRole('group', { name: 'Lattice of recodings of' }).locator('[tabindex="0"]')
  await tabTo(page, node)
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  const best = await focused()
  expect(best).toContain('the best')
  await press('ArrowDown')
  expect(await focused()).not.toBe(best)
  await press('ArrowUp')
  expect(await focused()).toBe(best)
  await press('Enter')
  await enter('button', 'Use this recoding')
  await expect(page.getByLabel('policy.toml')).toHaveValue(/method = "lattice"\nlevels = \{/)
})
