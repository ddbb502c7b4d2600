// A steward mends a hierarchy: new values wait in a tray, are put by keys, by dragging and in the text,
// and the version before stays until all have a place.
import { readFileSync } from 'node:fs'
import { call, enter, expect, looksRight, Server, test, type Page } from './moretta.ts'

let demo: Server
let project = ''
test.beforeAll(async () => {
  demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
})
test.afterAll(() => demo.end())

async function open(page: Page, name: string, person: 'steward' | 'officer' = 'steward'): Promise<void> {
  await enter(page, demo, person)
  const me = (await call(page, 'GET', '/me')) as { projects: { project: string; name: string }[] }
  project = me.projects.find((one) => one.name === name)?.project ?? ''
  await page.goto(`${demo.address}/projects/${project}/hierarchies`)
  await expect(page.getByRole('heading', { level: 1, name: 'Hierarchies' })).toBeVisible()
}
/** Made-up pupils, whose schools a hierarchy groups. */
function pupils(schools: string[]): string {
  const rows = Array.from({ length: 40 * schools.length }, (_, row) => `P${row},${schools[row % schools.length]},${6 + (row % 12)}`)
  return `pupil,school,age\n${rows.join('\n')}\n`
}
async function upload(page: Page, name: string, content: string, to?: string): Promise<void> {
  await page.goto(`${demo.address}/projects/${project}/data`)
  const bring = page.getByRole('button', { name: 'Bring data' })
  const field = page.getByLabel('Drop a table here')
  await expect(bring.or(field).first()).toBeVisible()
  if (!(await field.isVisible())) await bring.click()
  await field.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })
  if (to === undefined) await page.getByLabel('a new data set').check()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('heading', { name: /^pupils version/ })).toBeVisible()
  await expect(page.getByRole('article', { name: 'school' })).toBeVisible()
}
const item = (page: Page, name: RegExp) => page.getByRole('treeitem', { name })

test('a steward makes a hierarchy, and mends it by keys and by dragging when new values come', async ({ page }) => {
  await open(page, 'shop')
  await expect(page.getByRole('heading', { name: 'No hierarchy yet' })).toBeVisible()
  await looksRight(page)
  await upload(page, 'pupils.csv', pupils(['Oak', 'Elm', 'Ash', 'Fir']))
  await page.getByRole('link', { name: 'Hierarchies' }).click()
  await page.getByLabel('Column', { exact: true }).selectOption({ label: 'school of pupils (4 values)' })
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('school.csv')
  await page.getByRole('button', { name: 'Make it' }).click()
  await expect(page.getByText('4 of 4 shown values')).toBeVisible()

  // Keys alone: a group around Ash, then Elm into it.
  await item(page, /^\D*Ash/).click()
  await page.keyboard.press('g')
  await page.keyboard.type('north')
  await page.keyboard.press('Enter')
  await expect(item(page, /north/)).toBeVisible()
  await item(page, /^\D*Elm/).click()
  await page.keyboard.press('x')
  await expect(item(page, /^\D*Elm/)).toContainText('picked up')
  await item(page, /north/).focus()
  await page.keyboard.press('v')
  await expect(item(page, /north/)).toContainText('2 values, 80 rows')
  await item(page, /^\D*Fir/).click()
  await page.getByRole('button', { name: /^Group/ }).click()
  await page.getByLabel('Label of the group around Fir').fill('south')
  await page.getByRole('button', { name: 'Make the group' }).click()
  await item(page, /^\D*Oak/).dragTo(item(page, /south/))
  await expect(item(page, /south/)).toContainText('2 values')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(item(page, /south/)).toContainText('1 value,')
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect(item(page, /south/)).toContainText('2 values')
  await looksRight(page)
  await page.getByRole('button', { name: 'Save as version 2' }).click()
  await expect(page.getByRole('heading', { name: 'school.csv version 2' })).toBeVisible()

  await upload(page, 'pupils.csv', pupils(['Oak', 'Elm', 'Ash', 'Fir', 'Yew', 'oak ']), 'pupils')
  await page.getByRole('link', { name: 'Hierarchies' }).click()
  const tray = page.getByRole('region', { name: 'New values wait here' })
  await expect(tray.getByRole('button', { name: /Yew/ })).toBeVisible()
  await expect(tray).toContainText('as “Oak” but for spaces or case')
  await expect(page.getByText('4 of 6 shown values')).toBeVisible()
  await page.getByRole('button', { name: 'Test version 2 on school' }).click()
  await expect(page.getByRole('alert')).toContainText('covers 4 of 6 values', { timeout: 20_000 })
  await tray.getByRole('button', { name: /Yew/ }).dragTo(item(page, /north/))
  await expect(item(page, /north/)).toContainText('3 values')
  await expect(page.getByRole('button', { name: 'Save as version 3' })).toBeDisabled()
  await expect(page.getByText('Version 2 stays in use until the 1 value in the tray has a place.')).toBeVisible()
  await tray.getByRole('button', { name: /oak/ }).press('x')
  await item(page, /south/).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('6 of 6 shown values')).toBeVisible()
  await page.getByRole('button', { name: 'Save as version 3' }).click()
  await page.getByRole('button', { name: 'Test version 3 on school' }).click()
  await expect(page.getByText('It has every value of school, on 3 levels')).toBeVisible({ timeout: 20_000 })

  await page.getByRole('button', { name: 'Look at version 1' }).click()
  await page.getByRole('button', { name: 'Bring it back as version 4' }).click()
  await expect(page.getByRole('heading', { name: 'school.csv version 4' })).toBeVisible()
  await expect(page.getByText('4 of 6 shown values')).toBeVisible()
})

test('the text and files of ARX are the same tree, and say where they are none', async ({ page }) => {
  await open(page, 'hospital')
  await expect(item(page, /university/)).toBeVisible({ timeout: 20_000 })
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const text = page.getByRole('textbox', { name: 'education.csv' })
  await text.fill('none;no degree;*\nprimary;no degree\nmaster;university;*\n')
  await expect(page.getByText('the row has 2 labels, the first one 3')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save as version 2' })).toBeDisabled()
  await page.getByRole('button', { name: 'Back to version 1' }).click()
  await page.getByRole('button', { name: 'Tree', exact: true }).click()
  await expect(item(page, /university/)).toBeVisible()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'ARX CSV' }).first().click()])
  expect(download.suggestedFilename()).toBe('education.csv')
  expect(readFileSync(await download.path(), 'utf8')).toContain('bachelor;university;*\n')

  await page.getByRole('button', { name: 'New hierarchy' }).click()
  await page.getByLabel('of a file, as ARX writes them').check()
  const field = page.getByLabel('File', { exact: true })
  await field.setInputFiles({ name: 'trees.csv', mimeType: 'text/csv', buffer: Buffer.from('a;x;*\nb;x;*\na;y;*\n') })
  await expect(page.getByRole('alert')).toContainText('the value stands there twice')
  await field.setInputFiles({ name: 'wards.csv', mimeType: 'text/csv', buffer: Buffer.from('"a, old",x,*\nb,x,*\n') })
  await expect(page.getByText('2 rows were read')).toBeVisible()
  await page.getByRole('button', { name: 'Make it' }).click()
  await expect(page.getByRole('heading', { name: 'wards.csv version 1' })).toBeVisible()
  await expect(item(page, /a, old/)).toBeVisible()
})

test('rules show what they do while parameters change, and go into a policy', async ({ page }) => {
  await open(page, 'hospital')
  const rules = page.getByRole('region', { name: 'Rules instead of a tree' })
  await expect(rules.getByLabel('Try it on')).toContainText('zip of admissions', { timeout: 20_000 })
  await rules.getByLabel('Try it on').selectOption({ label: 'age of admissions' })
  await rules.getByLabel('Widths', { exact: true }).fill('10, 25')
  await expect(rules.getByText('25 is not a multiple of the width before it')).toBeVisible()
  await rules.getByLabel('Widths', { exact: true }).fill('10, 30')
  await expect(rules.getByRole('row', { name: /^40 / })).toContainText('40..4930..59')
  await rules.getByLabel('Try it on').selectOption({ label: 'admission of admissions' })
  await rules.getByLabel('quarter').uncheck()
  await expect(rules.getByText('{ dates = ["month", "year"] }')).toBeVisible()
  await rules.getByRole('button', { name: 'Grid' }).click()
  await expect(rules.getByRole('row', { name: /46\.948/ })).toContainText('100m:52262:')
  await rules.getByLabel('Try it on').or(rules.getByRole('button', { name: 'Mask' })).first().click()
  await rules.getByLabel('Try it on').selectOption({ label: 'zip of admissions' })
  await rules.getByLabel('Hidden from').selectOption('left')
  await expect(rules.getByRole('row', { name: /^30100/ })).toContainText('*0100**100')
  await rules.getByRole('button', { name: 'Put it in' }).click()
  await expect(page.getByText('admissions version 2 has it', { exact: true })).toBeVisible()
  const { items } = (await call(page, 'GET', `/projects/${project}/policies`)) as { items: { id: string }[] }
  const policy = (await call(page, 'GET', `/projects/${project}/policies/${items[0]?.id}`)) as { content: string }
  expect(policy.content).toMatch(/^zip +=.*hierarchy = \{ mask = "left" \}/m)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect(page.getByText('admissions is as it was', { exact: true })).toBeVisible()
})

test('an officer reads hierarchies and changes nothing', async ({ page }) => {
  await open(page, 'hospital', 'officer')
  await expect(item(page, /university/)).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('button', { name: 'New hierarchy' })).toBeHidden()
  await expect(page.getByRole('button', { name: /^Save as/ })).toBeHidden()
  await looksRight(page)
})

test('keys of one letter do nothing where they are turned off', async ({ page }) => {
  await open(page, 'hospital')
  const shortcuts = async (on: boolean) => {
    await page.goto(`${demo.address}/account`)
    const kept = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('checkbox', { name: /Shortcuts/ }).setChecked(on)
    expect((await kept).ok()).toBe(true)
    await page.goto(`${demo.address}/projects/${project}/hierarchies`)
    await expect(item(page, /bachelor/)).toBeVisible({ timeout: 20_000 })
  }
  const search = page.getByRole('dialog', { name: 'Search' })
  const group = page.getByLabel('Label of the group around bachelor')
  await shortcuts(false)
  await expect(page.locator('main kbd')).toHaveCount(0)
  await item(page, /bachelor/).click()
  for (const key of ['/', 'x', 'g']) await page.keyboard.press(key)
  await expect(item(page, /bachelor/)).not.toContainText('picked up')
  await expect(group.or(search)).toHaveCount(0)
  // By the button it is cut; a key does not put it.
  await page.getByRole('button', { name: /^Cut/ }).click()
  await expect(item(page, /bachelor/)).toContainText('picked up')
  await item(page, /school/).focus()
  await page.keyboard.press('v')
  await expect(item(page, /bachelor/)).toContainText('picked up')

  await shortcuts(true)
  await item(page, /bachelor/).click()
  await page.keyboard.press('x')
  await expect(item(page, /bachelor/)).toContainText('picked up')
  await item(page, /school/).focus()
  await page.keyboard.press('v')
  await expect(item(page, /school/)).toContainText('3 values')
  await page.keyboard.press('/')
  await expect(search).toBeVisible()
})
