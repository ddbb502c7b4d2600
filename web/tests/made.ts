// What stories of releases begin with: a request that is made and waits, as a steward asks for it.
import { call, expect, type Page, type Server } from './moretta.ts'
import { enter, type Person } from './moretta.ts'
import type { Browser } from '@playwright/test'

/** Two levels of the policy of the demonstration. */
export const LEVELS = '\n[levels]\nresearch = { k = 5 }\nweb = { k = 25 }\n'

interface Listed {
  items: { id: string; name: string; last: { id: string } }[]
}

export async function projectOf(page: Page, name = 'hospital'): Promise<string> {
  const { items } = (await call(page, 'GET', '/projects')) as Listed
  return items.find((one) => one.name === name)?.id ?? ''
}

/** Waits until the demonstration has published its own release. */
export async function prepared(page: Page): Promise<string> {
  const project = await projectOf(page)
  await expect.poll(async () => ((await call(page, 'GET', `/projects/${project}/releases`)) as Listed).items.length, { timeout: 30_000 }).toBeGreaterThan(0)
  return project
}

/** A policy as that of the demonstration, changed. */
export async function policy(page: Page, project: string, name: string, change: (text: string) => string): Promise<string> {
  const { items } = (await call(page, 'GET', `/projects/${project}/policies`)) as Listed
  const first = items.find((one) => one.name === 'admissions')?.id ?? ''
  const { content } = (await call(page, 'GET', `/projects/${project}/policies/${first}`)) as { content: string }
  const made = (await call(page, 'POST', `/projects/${project}/policies`, { name, content: change(content) })) as { id: string }
  return made.id
}

/** A request of these levels that waits for an officer. */
export async function ready(page: Page, project: string, name: string, version: string, levels: number[], purpose = 'a story'): Promise<string> {
  const { items } = (await call(page, 'GET', `/projects/${project}/datasets`)) as Listed
  const data = items.find((one) => one.name === 'admissions')?.last.id
  const { id } = (await call(page, 'POST', `/projects/${project}/requests`, { name, purpose, data, policy: version, levels })) as { id: string }
  const state = async () => ((await call(page, 'GET', `/projects/${project}/requests/${id}`)) as { state: string }).state
  await expect.poll(state, { timeout: 30_000 }).toBe('ready')
  return id
}

/** Published at once. */
export async function publish(officer: Page, project: string, release: string): Promise<void> {
  const { manifest } = (await call(officer, 'GET', `/projects/${project}/requests/${release}`)) as { manifest: string }
  await call(officer, 'POST', `/projects/${project}/requests/${release}/approval`, { manifest })
}

/** Somebody in a browser of their own. */
export async function other(browser: Browser, demo: Server, person: Person): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await enter(page, demo, person)
  return page
}
