// The program under test and what every story watches: nothing may break the content security policy.
import { spawn, type ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test as base, type BrowserContext, type Page } from '@playwright/test'

export { expect, type Page }

export type Person = 'officer' | 'steward' | 'analyst' | 'clinician' | 'operator' | 'auditor' | 'administrator'

/** A server that ends with the tests. */
export class Server {
  address = ''
  said = ''
  readonly #process: ChildProcess

  private constructor(options: string[], environment: Record<string, string>) {
    const program = process.env['MORETTA_PROGRAM']
    if (!program) throw new Error('MORETTA_PROGRAM names the program that is tested')
    const env = { ...(process.env as Record<string, string>), ...environment }
    this.#process = spawn(program, ['serve', '--listen', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'pipe'], env })
    const hear = (chunk: Buffer) => (this.said += chunk.toString())
    this.#process.stdout?.on('data', hear)
    this.#process.stderr?.on('data', hear)
  }

  /** Starts one and waits until it has said what `until` finds. */
  static async start(options: string[], until: RegExp, clock?: ServerClock): Promise<Server> {
    const server = new Server(options, clock?.environment ?? {})
    for (let look = 0; look < 300 && !until.test(server.said); look++) {
      if (server.#process.exitCode !== null) throw new Error(`the server has ended: ${server.said}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    server.address = /answers at (http:\S+)/.exec(server.said)?.[1] ?? ''
    if (!server.address || !until.test(server.said)) throw new Error(`the server does not answer: ${server.said}`)
    return server
  }

  /** The link of a person of a demonstration. */
  link(person: Person): string {
    return new RegExp(`^${person}: .*\\n\\s+(\\S+)`, 'm').exec(this.said)?.[1] ?? ''
  }

  /** Kills its children, as the system does where memory runs out; tells how many. */
  killChildren(): number {
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const children = processes.filter((id) => {
      try {
        const told = readFileSync(`/proc/${id}/stat`, 'utf8')
        return Number(told.slice(told.lastIndexOf(')') + 2).split(' ')[1]) === this.#process.pid
      } catch {
        return false
      }
    })
    for (const id of children) process.kill(Number(id), 'SIGKILL')
    return children.length
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    this.#process.kill('SIGTERM')
    await ended
  }
}

/** The clock of a server, which can be moved while it runs. */
export class ServerClock {
  #ahead = 0
  readonly #folder = folder()
  readonly #file = join(this.#folder.path, 'clock')

  constructor() {
    this.forward(0)
  }

  get environment(): Record<string, string> {
    const library = readdirSync('/usr/lib').map((name) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`).find((path) => existsSync(path))
    if (!library) throw new Error('libfaketime is not installed')
    return { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: this.#file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
  }

  now(): number {
    return Date.now() + this.#ahead
  }

  forward(milliseconds: number): void {
    this.#ahead += milliseconds
    writeFileSync(this.#file, `+${this.#ahead / 1000}s\n`)
  }

  remove(): void {
    this.#folder.remove()
  }
}

export function folder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'moretta-web-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

interface Worker {
  demo: Server
}
interface Watched {
  /** What was broken in any window of this test: empty at its end. */
  broken: string[]
}

const broken: string[] = []
/** Everything that a browser says against a page, in each of its windows. */
function watch(context: BrowserContext): void {
  context.on('console', (message) => {
    if (/Content Security Policy|Trusted ?(Types|HTML|Script)/i.test(message.text())) broken.push(message.text())
  })
  context.on('weberror', (error) => broken.push(`${error.error().name}: ${error.error().message}`))
}

export const test = base.extend<Watched, Worker>({
  demo: [
    async ({}, use) => {
      const demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
      await use(demo)
      await demo.end()
    },
    { scope: 'worker' },
  ],
  // Also the contexts that stories make for others, and those made before tests.
  browser: [
    async ({ browser }, use) => {
      const begin = browser.newContext.bind(browser)
      browser.newContext = async (options) => {
        const context = await begin(options)
        watch(context)
        return context
      }
      await use(browser)
    },
    { scope: 'worker' },
  ],
  context: async ({ context }, use) => {
    // The one that each test is given is made in another way.
    watch(context)
    await use(context)
  },
  broken: [
    async ({}, use) => {
      await use(broken)
      expect(broken.splice(0)).toEqual([])
    },
    { auto: true },
  ],
})

/** Signs in as a person of the demonstration. */
export async function enter(page: Page, demo: Server, person: Person): Promise<void> {
  await page.goto(demo.link(person))
  await expect(page.getByRole('button', { name: person, exact: true })).toBeVisible()
  await expect(page).not.toHaveURL(`${demo.address}/`)
}

/** Nothing serious in both themes, in a window as it is and in one of 320 px, where nothing is wider than it. */
export async function looksRight(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 860 }
  for (const viewport of [size, { width: 320, height: 640 }]) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze()
      const told = violations.map(({ id, nodes }) => `${viewport.width} px, ${colorScheme}, ${id}: ${nodes.map((node) => node.html).slice(0, 3).join(' ')}`)
      expect(told).toEqual([])
    }
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  await page.setViewportSize(size)
}

/** The code of an authenticator with this secret. */
export function codeOf(secret: string, at = Date.now()): string {
  const bits = [...secret.replace(/[^A-Z2-7]/g, '')].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const sum = createHmac('sha1', key).update(step).digest()
  const from = (sum.at(-1) ?? 0) & 15
  return String((sum.readUInt32BE(from) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Has something done as the page would, with its session. */
export async function call(page: Page, method: string, path: string, body?: unknown): Promise<unknown> {
  return page.evaluate(
    async ([method, path, body]) => {
      const session = await (await fetch('/api/v1/session')).json()
      const headers: Record<string, string> = { 'x-moretta-token': session.token }
      if (body !== undefined) headers['content-type'] = 'application/json'
      const response = await fetch(`/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
      return text ? (JSON.parse(text) as unknown) : undefined
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  )
}
