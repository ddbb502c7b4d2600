// What is searched for is found at its own address, and pages say why and by which command.
import { call, enter, expect, looksRight, Server, test } from './moretta.ts'
import { prepared, projectOf } from './made.ts'

let demo: Server
test.beforeAll(async () => {
  demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
})
test.afterAll(() => demo.end())

interface Listed {
  items: { id: string; name: string }[]
}

test('a search leads to the thing itself', async ({ page }) => {
  await enter(page, demo, 'steward')
  const project = await prepared(page)
  const { items } = (await call(page, 'GET', `/projects/${project}/policies`)) as Listed
  const content = ((await call(page, 'GET', `/projects/${project}/policies/${items[0]?.id}`)) as { content: string }).content
  const made = (await call(page, 'POST', `/projects/${project}/policies`, { name: 'heron', content })) as { text: string }
  const tree = (await call(page, 'POST', `/projects/${project}/hierarchies`, { name: 'heron.csv', content: 'grey;heron;*\nwhite;heron;*\n' })) as { text: string }
  const search = async (text: string, what: string) => {
    await page.keyboard.press('/')
    await page.getByRole('searchbox', { name: /^Names of pages/ }).fill(text)
    await page.getByRole('dialog').getByRole('link', { name: new RegExp(`${what}$`) }).first().click()
    await expect(page.getByRole('dialog')).toBeHidden()
  }
  await page.goto(`${demo.address}/projects/${project}`)
  await expect(page.getByRole('heading', { name: 'Releases' })).toBeVisible()
  await search('heron', 'policy')
  await expect(page.getByLabel('Policy', { exact: true })).toHaveValue(made.text)
  await search('heron', 'hierarchy')
  await expect(page).toHaveURL(new RegExp(`text=${tree.text}`))
  await expect(page.getByRole('heading', { name: 'heron.csv' })).toBeVisible()
  await search('admissions', 'data set')
  await expect(page).toHaveURL(/\/data\?set=[0-9a-f]{32}/)
  await search('admissions', 'release')
  await expect(page).toHaveURL(/\/releases\/[0-9a-f]{32}$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Admissions' })).toBeVisible()

  await enter(page, demo, 'operator')
  await expect(page.getByRole('heading', { level: 1, name: 'Streams' })).toBeVisible()
  await search('visits', 'stream')
  await expect(page).toHaveURL(/\/streams\/[0-9a-f]{32}$/)
})

test('pages say why, and by which command', async ({ page }) => {
  await enter(page, demo, 'officer')
  const project = await projectOf(page)
  await prepared(page)
  const why = async (path: string, label: string, told: RegExp | string) => {
    await page.goto(`${demo.address}${path}`)
    await page.getByText(label, { exact: true }).click()
    await expect(page.getByText(told)).toBeVisible()
  }
  await why('/inbox', 'Why does this wait for me?', 'Nobody reaches data alone.')
  await why(`/projects/${project}`, 'How does a table become a release?', 'makes the same bytes of it')
  await why(`/projects/${project}/releases`, 'What is a level?', 'Who has a level reads it and all coarser ones')
  await why('/account', 'Why is there a lock and a second factor?', 'can set one for you')
  await looksRight(page)
  const { items } = (await call(page, 'GET', `/projects/${project}/releases`)) as Listed
  await page.goto(`${demo.address}/projects/${project}/releases/${items[0]?.id}?show=files`)
  await expect(page.getByText(/^moretta verify release-[0-9a-f]{32}-2\.csv --policy policy\.toml/)).toBeVisible()
  await expect(page.getByText(/^moretta run policy\.toml/)).toBeVisible()
  await looksRight(page)
  await page.goto(`${demo.address}/projects/${project}/ledger`)
  await expect(page.getByText('moretta ledger verify policy.toml')).toBeVisible()
  await enter(page, demo, 'auditor')
  await why('/audit', 'Can an entry be changed?', 'The server prints its head each hour')
  await expect(page.getByText('moretta audit moretta-audit.log').first()).toBeVisible()
})
