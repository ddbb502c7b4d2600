// Who reads what was published: by level, with filters and counts, until it is taken back.
import { call, enter, expect, looksRight, Server, test } from './moretta.ts'
import { LEVELS, other, policy, prepared, publish, ready } from './made.ts'

let demo: Server
let project: string
let release: string
test.beforeAll(async ({ browser }) => {
  demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
  const steward = await other(browser, demo, 'steward')
  project = await prepared(steward)
  const version = await policy(steward, project, 'two levels', (text) => text + LEVELS)
  release = await ready(steward, project, 'Two levels', version, [2, 3])
  const officer = await other(browser, demo, 'officer')
  await publish(officer, project, release)
  await steward.context().close()
  await officer.context().close()
})
test.afterAll(() => demo.end())

const at = (rest: string) => `${demo.address}/projects/${project}/${rest}`

test('a release is found, and what it means and has lost is told', async ({ page }) => {
  await enter(page, demo, 'analyst')
  await expect(page.getByRole('heading', { level: 1, name: 'Releases' })).toBeVisible()
  await looksRight(page)
  await page.getByLabel('Search').fill('two lev')
  await expect(page.getByRole('link', { name: 'Admissions', exact: true })).toBeHidden()
  await page.getByLabel('Level').selectOption('3')
  await page.getByRole('link', { name: 'Two levels' }).click()

  await expect(page.getByRole('img', { name: /Detail lost by column/ })).toBeVisible()
  await looksRight(page)
  await page.getByRole('button', { name: 'Dictionary' }).click()
  await expect(page.getByText(/means a value from \d+ to \d+, both included/)).toBeVisible()
  await page.locator('summary').filter({ hasText: 'ward' }).first().click()
  await expect(page.getByRole('img', { name: /ward, rows by value/ })).toBeVisible()
  await looksRight(page)

})

test('rows are filtered and counted', async ({ page }) => {
  await enter(page, demo, 'analyst')
  await page.goto(at(`releases/${release}?show=rows`))
  await expect(page.getByText('100 rows shown')).toBeVisible()
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByText('200 rows shown')).toBeVisible()
  await page.getByText('Filter', { exact: true }).click()
  await page.getByLabel('Column').selectOption('age')
  await page.getByLabel('Compared').selectOption('overlaps')
  await page.getByLabel('Value').fill('85..90')
  await page.getByRole('button', { name: 'Add this condition' }).click()
  await page.getByLabel('Column').selectOption('ward')
  await page.getByLabel('Compared').selectOption('in')
  await page.getByLabel('Value').fill('cardiology\nneurology')
  await page.getByRole('button', { name: 'Add this condition' }).click()
  await expect(page.getByRole('list', { name: /Conditions/ }).getByRole('listitem')).toHaveCount(2)
  await expect(page.getByText(/rows shown that meet the conditions/)).toBeVisible()
  const wards = await page.getByRole('table').getByRole('row').locator('td:nth-child(6)').allTextContents()
  expect(wards.length).toBeGreaterThan(0)
  expect(new Set(wards).size).toBeLessThanOrEqual(2)
  expect(page.url()).not.toContain('cardiology')

  await page.getByRole('button', { name: 'Counts' }).click()
  await page.getByLabel('ward', { exact: true }).check()
  await page.getByLabel('sex', { exact: true }).check()
  await expect(page.getByRole('img', { name: /Rows by ward, sex/ })).toBeVisible()
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(5)
  await looksRight(page)

})

test('files are verified and cited', async ({ page }) => {
  await enter(page, demo, 'analyst')
  await page.goto(at(`releases/${release}?show=files`))
  await expect(page.getByText(/sha256sum -c/)).toBeVisible()
  await expect(page.getByText(/Two levels\. Anonymised release of admissions/)).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: /Download/ }).click()
  expect((await download).suggestedFilename()).toBe(`release-${release}-2.csv`)
  await looksRight(page)
})

test('finer levels are absent, and can be asked for', async ({ page, browser }) => {
  const admin = await other(browser, demo, 'administrator')
  const members = (await call(admin, 'GET', `/projects/${project}/members`)) as { user: string; name: string }[]
  const analyst = members.find((member) => member.name === 'analyst')?.user
  await call(admin, 'POST', `/projects/${project}/members`, { user: analyst, role: 'analyst', level: 3, ends_at: null, reason: 'a coarser level' })
  await admin.context().close()

  await enter(page, demo, 'analyst')
  await page.goto(at('releases'))
  await expect(page.getByText('You read level 3 and coarser ones')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Admissions', exact: true })).toHaveCount(0)
  await page.getByRole('link', { name: 'Two levels' }).click()
  await expect(page.getByText('level 3 “web”')).toBeVisible()
  expect(await page.textContent('main')).not.toContain('research')
  await page.goto(at(`releases/${release}?level=2&show=rows`))
  await expect(page.getByRole('table', { name: 'Released rows of level 3' })).toBeVisible()

  await page.goto(at('releases'))
  await page.getByRole('button', { name: 'Ask for a finer level' }).click()
  await page.getByLabel('Purpose').fill('A paper on the education of patients')
  await looksRight(page)
  await page.getByRole('button', { name: 'Ask an officer' }).click()
  await expect(page.getByRole('region', { name: 'What was done' }).getByText('An officer has been asked')).toBeVisible()

  const officer = await other(browser, demo, 'officer')
  await officer.goto(at('members'))
  const wish = officer.getByRole('article').filter({ hasText: 'A paper on the education' })
  await wish.getByRole('button', { name: 'Grant' }).click()
  await expect(wish).toHaveCount(0)
  await expect(officer.getByRole('row', { name: /^analyst analyst 2/ })).toBeVisible()
  await officer.context().close()
  await page.reload()
  await expect(page.getByText('You read level 2 and coarser ones')).toBeVisible()
})

test('what is taken back is gone, and says so', async ({ page, browser }) => {
  const analyst = await other(browser, demo, 'analyst')
  await analyst.goto(at(`releases/${release}`))
  await expect(analyst.getByRole('heading', { level: 1, name: 'Two levels' })).toBeVisible()

  await enter(page, demo, 'officer')
  await page.goto(at(`releases/${release}?show=files`))
  await page.getByRole('button', { name: 'Hold it against its policy again' }).click()
  await expect(page.getByText('Every promise holds, and the bytes are those that were approved.')).toBeVisible({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Take it back' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('a column was meant to be left out')
  await dialog.getByRole('button', { name: 'Take it back' }).click()
  await expect(page.getByText('This release was taken back on')).toBeVisible()
  await expect(page.getByText('a column was meant to be left out')).toBeVisible()
  await looksRight(page)
  await expect(analyst.getByText('This release was taken back')).toBeVisible()
  await analyst.goto(at('releases'))
  await expect(analyst.getByRole('link', { name: 'Admissions', exact: true })).toBeVisible()
  await expect(analyst.getByRole('link', { name: 'Two levels' })).toHaveCount(0)
  await analyst.context().close()
})
