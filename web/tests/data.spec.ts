// A steward brings data, corrects what was guessed and has a first policy: the first half of the way to
// a release. Uploads that break go on, and raw data go when a second person agrees.
import { call, enter, expect, looksRight, Server, test, type Page } from './moretta.ts'

let demo: Server
test.beforeAll(async () => {
  demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
})
test.afterAll(() => demo.end())

async function open(page: Page, person: 'steward' | 'officer', project: string): Promise<string> {
  await enter(page, demo, person)
  const me = (await call(page, 'GET', '/me')) as { projects: { project: string; name: string }[] }
  const id = me.projects.find((one) => one.name === project)?.project ?? ''
  await page.goto(`${demo.address}/projects/${id}/data`)
  await expect(page.getByRole('heading', { level: 1, name: 'Data' })).toBeVisible()
  return id
}
const choose = (page: Page, name: string, content: string | Buffer) =>
  page.getByLabel('Drop a table here').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) })

/** Made-up visits of 300 patients. */
function visits(wards: string[]): string {
  const rows = Array.from({ length: 600 }, (_, row) => `Person ${row % 300},P${row % 300},${20 + (row % 60)},${wards[row % wards.length]}`)
  return `full name,patient,age,ward\n${rows.join('\n')}\n`
}

test('a steward goes from nothing to a first policy, and to the next version', async ({ page }) => {
  const project = await open(page, 'steward', 'shop')
  await expect(page.getByRole('heading', { name: 'No data yet' })).toBeVisible()
  await looksRight(page)
  await page.getByRole('button', { name: 'Begin with made-up admissions' }).click()
  await expect(page.getByRole('heading', { name: 'admissions version 1' })).toBeVisible()
  const name = page.getByRole('article', { name: 'name', exact: true })
  await expect(name).toContainText('in the vault')
  await expect(page.getByRole('article', { name: 'patient' })).toContainText('nothing of its values is told')
  await expect(page.getByRole('article', { name: 'zip' })).toContainText('are not shown')

  const ward = page.getByRole('article', { name: 'ward' })
  await ward.getByLabel('Role of ward').selectOption('plain')
  await expect(ward).toContainText('Chosen by hand; guessed was quasi')
  await page.getByLabel('Role of cost').selectOption('identifier')
  const policy = page.getByRole('region', { name: 'A first policy' })
  await policy.getByText('The text that is saved').click()
  const text = policy.getByLabel('Policy', { exact: true })
  await expect(text).toHaveValue(/ward += \{ role = "plain" \}/)
  await expect(text).toHaveValue(/on = \["diagnosis"\]/)
  await policy.getByRole('button', { name: 'Undo' }).click()
  await expect(text).toHaveValue(/on = \["diagnosis", "cost"\]/)
  await policy.getByRole('button', { name: 'Redo' }).click()
  await expect(page.getByRole('article', { name: 'cost' })).toContainText('Move cost to the vault')
  await policy.getByLabel('k', { exact: true }).fill('7')
  await expect(text).toHaveValue(/^k = 7 /m)
  await expect(policy).toContainText('It can be used: 10 columns have a role.')
  await looksRight(page)
  await page.getByLabel('Role of patient').selectOption('plain')
  await expect(policy).toContainText('released by the role that you chose: patient.')
  await page.getByLabel('Role of patient').selectOption('subject')
  await expect(policy).not.toContainText('released by the role')
  await policy.getByLabel('Name of the policy').fill('visits')
  await policy.getByRole('button', { name: 'Save the policy' }).click()
  await expect(policy).toContainText('choose another name')
  await policy.getByLabel('Name of the policy').fill('admissions')
  await policy.getByRole('button', { name: 'Save the policy' }).click()
  await expect(policy).toContainText('Saved as admissions')
  await expect(policy.getByRole('link', { name: 'Go on to Protect' })).toHaveAttribute('href', /\?text=[0-9a-f]+&set=[0-9a-f]+$/)
  const saved = (await call(page, 'GET', `/projects/${project}/policies`)) as { items: { name: string }[] }
  expect(saved.items.map((one) => one.name)).toContain('admissions')

  await page.getByRole('article', { name: 'cost' }).getByRole('button', { name: 'Move cost to the vault' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move it' }).click()
  await expect(page.getByRole('heading', { name: 'admissions version 2' })).toBeVisible()
  await expect(page.getByRole('article', { name: 'cost' })).toContainText('in the vault')
})

test('what was chosen is there again after the page was left', async ({ page }) => {
  await open(page, 'steward', 'hospital')
  const kept = page.waitForResponse((response) => response.request().method() === 'PUT' && response.url().includes('/me/drafts/'))
  await page.getByLabel('Role of ward').selectOption('plain')
  await kept
  await page.reload()
  await expect(page.getByLabel('Role of ward')).toHaveValue('plain')
})

test('a file becomes a data set without its names, and the next one tells what is new', async ({ page }) => {
  await open(page, 'steward', 'hospital')
  await page.getByRole('button', { name: 'Bring data' }).click()
  await choose(page, 'visits.csv', visits(['east', 'west']))
  await page.getByLabel('a new data set').check()
  await expect(page.getByLabel('full name')).toBeChecked()
  await expect(page.getByLabel('age', { exact: true })).not.toBeChecked()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'visits version 1' })).toBeVisible()
  await expect(page.getByRole('article', { name: 'full name' })).toContainText('in the vault')
  await page.getByRole('button', { name: 'Bring data' }).click()
  await choose(page, 'visits-june.csv', visits(['east', 'west', 'north']))
  await expect(page.getByLabel('a new version of visits')).toBeChecked()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  const difference = page.getByRole('region', { name: 'Since version 1' })
  await expect(difference).toContainText('ward: different values 2 → 3; new: north')
  await expect(page).toHaveURL(/version=[0-9a-f]{32}$/)
  await page.getByRole('button', { name: 'Bring data' }).click()
  await choose(page, 'visits.pdf', '%PDF')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('does not tell which kind of table')
})

test('an upload that broke goes on where it was, also after the page was loaded again', async ({ page }) => {
  await open(page, 'steward', 'hospital')
  // Longer than one part of 8 MiB.
  const table = `patient,note\n${Array.from({ length: 30_000 }, (_, row) => `P${row},${'x'.repeat(300)}`).join('\n')}\n`
  const offsets: string[] = []
  let broken = true
  await page.route('**/uploads/*?offset=*', (route) => {
    const offset = new URL(route.request().url()).searchParams.get('offset') ?? ''
    offsets.push(offset)
    return broken && offset !== '0' ? route.abort() : route.continue()
  })
  await page.getByRole('button', { name: 'Bring data' }).click()
  await choose(page, 'scores.csv', table)
  await page.getByLabel('a new data set').check()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByText('scores.csv stopped')).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('does not answer')
  await page.reload()
  await page.getByRole('button', { name: 'Bring data' }).click()
  await expect(page.getByText('Choose the same file again')).toBeVisible()
  await choose(page, 'scores.csv', table)
  await expect(page.getByText('goes on at')).toBeVisible()
  await page.getByLabel('a new data set').check()
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByText('scores.csv stopped')).toBeVisible()
  broken = false
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByRole('heading', { name: 'Versions' })).toBeVisible()
  await expect(page.getByRole('cell', { name: 'scores.csv' })).toBeVisible()
  expect(offsets.filter((offset) => offset === '0'), 'the first part was sent once').toHaveLength(1)
})

test('a broken file says where it is broken, and nothing goes on', async ({ page }) => {
  await open(page, 'steward', 'shop')
  await page.getByRole('button', { name: 'Bring data' }).click()
  await choose(page, 'broken.csv', 'full name,ward\nPerson 1,surgery\nPerson 2,medicine,one more\n')
  await page.getByLabel('a new data set').check()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('line 3')
  await expect(page.getByText('Mend the file, then choose it above again.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Go on' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Give up' }).click()
  await expect(page.getByText('broken.csv stopped')).toHaveCount(0)
})

test('raw data go when a second person agrees', async ({ page, browser }) => {
  const project = await open(page, 'steward', 'hospital')
  await page.getByRole('button', { name: 'Bring data' }).click()
  await choose(page, 'old.csv', visits(['east']))
  await page.getByLabel('a new data set').check()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'old version 1' })).toBeVisible()
  await page.getByRole('button', { name: /^Delete version 1/ }).click()
  await page.getByLabel('Reason').fill('the study is over')
  await looksRight(page)
  await page.getByRole('button', { name: 'Ask for it' }).click()
  await expect(page.getByRole('region', { name: 'Versions' })).toContainText('Version 1 is to be deleted. You asked')
  const context = await browser.newContext()
  const officer = await context.newPage()
  await enter(officer, demo, 'officer')
  await officer.goto(`${demo.address}/projects/${project}/data${new URL(page.url()).search}`)
  await expect(officer.getByText('the study is over')).toBeVisible()
  await expect(officer.getByRole('button', { name: 'Bring data' })).toBeHidden()
  await expect(officer.getByLabel('Role of ward')).toBeHidden()
  await officer.getByRole('button', { name: 'Delete version 1', exact: true }).click()
  await expect(officer.getByRole('table', { name: 'Versions of old' })).toContainText('deleted')
  await page.reload()
  await expect(page.getByText('The rows of version 1 are deleted')).toBeVisible()
  await context.close()
})

test('a file of the inbox folder is taken by its id', async ({ page }) => {
  // A demonstration has no such folder: the list and the answer are made here, the form is ours.
  let sent: unknown
  await page.route('**/inbox', (route) => (/projects/.test(route.request().url()) ? route.fulfill({ json: [{ id: 'ab', name: 'ward.csv', bytes: 2048, modified: 0 }] }) : route.continue()))
  await page.route('**/inbox/ab', (route) => {
    sent = route.request().postDataJSON()
    return route.fulfill({ status: 409, contentType: 'application/problem+json', json: { title: 'the file was changed while it was read', status: 409, code: 'changed', help: 'wait until it is whole, then take it again' } })
  })
  await open(page, 'steward', 'hospital')
  await page.getByRole('button', { name: 'Bring data' }).click()
  await page.getByRole('button', { name: 'Take ward.csv' }).click()
  await page.getByLabel('a new data set').check()
  await page.getByLabel('Columns that name persons').fill('name, email')
  await page.getByRole('button', { name: 'Take it' }).click()
  await expect(page.getByRole('alert')).toContainText('Wait until it is whole')
  expect(sent).toEqual({ new: { name: 'ward', identifiers: ['name', 'email'] } })
})
