// Who is signed in, what they may do, and when the session locks.
import { del, get, getVersioned, patch, post, useGuard, useToken } from '../api/client'
import type { Current, Me, Membership } from '../api/kinds'
import type { Problem } from '../api/problem'

/** What the session is waiting for. */
export type State = 'loading' | 'out' | 'waiting' | 'locked' | 'factor-needed' | 'full'

/** Somebody reads and types without calls: the server hears of it this often. */
const TOUCH = 60_000
/** Where a tab keeps the link of a demonstration, whose data are made up; nothing else is kept there. */
const DEMO = 'moretta-demo'

class Session {
  state: State = $state('loading')
  current: Current | undefined = $state()
  me: Me | undefined = $state()
  /** When it locks unless somebody is there. */
  locksAt = $state(Infinity)
  /** A question for the second factor that is open. */
  stepUp: { done: (shown: boolean) => void } | undefined = $state()
  /** The link of a demonstration: its people have no password, so it unlocks, too. */
  demo: string | undefined = $state(sessionStorage.getItem(DEMO) ?? undefined)
  /** Whether a session ended that nobody here ended. */
  lost = $state(false)
  #active = 0
  #flush = new Set<() => Promise<void>>()
  #tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('moretta-session')

  constructor() {
    useGuard({
      ended: (problem) => this.#ended(problem),
      stepUp: () => this.#askStepUp(),
      renew: () => this.#renew(),
      active: () => this.#touched(),
    })
    if (this.#tabs) {
      // What one tab does with the session all others follow.
      this.#tabs.onmessage = (message: MessageEvent<string>) => void this.#follow(message.data)
    }
  }

  /** Looks who is signed in. */
  async begin(): Promise<void> {
    try {
      await this.take(await get('/session', { background: true }), false)
    } catch {
      if (this.state === 'loading') this.state = 'out'
    }
  }

  /** Goes on with a session that was begun or changed. */
  async take(current: Current, tell = true): Promise<void> {
    useToken(current.token)
    this.lost = false
    const other = this.current && this.current.user !== current.user
    if (other) this.me = undefined
    this.current = current
    this.locksAt = current.locks_at
    if (current.state === 'full') this.me = await get('/me')
    this.state = current.state as State
    if (tell) this.#tabs?.postMessage('changed')
  }

  async signIn(name: string, password: string): Promise<void> {
    this.#forgetDemo()
    await this.take(await post('/session', { name, password }))
  }

  async enterDemo(link: string): Promise<void> {
    await this.take(await post('/demo/session', { link }))
    this.demo = link
    sessionStorage.setItem(DEMO, link)
  }

  async showFactor(code: string): Promise<void> {
    await this.take(await post('/session/factor', { code }))
  }

  async unlock(password: string): Promise<void> {
    await this.take(await post('/session/unlock', { password }))
  }

  /** What is being written is kept first; nothing of the page stays. */
  async lock(): Promise<void> {
    await this.flush()
    await post('/session/lock')
    this.state = 'locked'
    this.#tabs?.postMessage('locked')
  }

  async signOut(): Promise<void> {
    await this.flush()
    await del('/session')
    this.#out()
    this.#tabs?.postMessage('out')
  }

  /** Reads again what one may do. */
  async refresh(): Promise<void> {
    this.me = await get('/me', { background: true })
  }

  /** Changes what pages remember of a person. */
  async prefer(preferences: Record<string, unknown>): Promise<void> {
    const { value, version } = await getVersioned('/me')
    this.me = await patch('/me', { preferences: { ...value.preferences, ...preferences } }, { version: version ?? value.version })
  }

  preference<T>(name: string, otherwise: T): T {
    return (this.me?.preferences[name] as T | undefined) ?? otherwise
  }

  membership(project: string | undefined): Membership | undefined {
    return this.me?.projects.find((membership) => membership.project === project)
  }

  /** Whether one has a right, in a project or on the server. */
  may(right: string, project?: string): boolean {
    const rights = project ? this.membership(project)?.rights : undefined
    return Boolean(rights?.includes(right) || this.me?.rights.includes(right))
  }

  /** Whose id this is, as far as one may know. */
  nameOf(user: string | null | undefined): string {
    return user === this.me?.id ? 'you' : 'another member'
  }

  /** Somebody moves or types: once a minute the server is told, so that the session stays open. */
  present(): void {
    if (this.state !== 'full' || Date.now() - this.#active < TOUCH) return
    get('/session').then(
      (current) => (this.locksAt = current.locks_at),
      () => undefined,
    )
  }

  /** Stays open because somebody says so. */
  async stay(): Promise<void> {
    this.locksAt = (await get('/session')).locks_at
  }

  /** The time has come; the server says the same. */
  timeIsUp(): void {
    if (this.state === 'full') void this.begin()
  }

  /** Has something written before the page goes. */
  beforeLock(flush: () => Promise<void>): () => void {
    this.#flush.add(flush)
    return () => this.#flush.delete(flush)
  }

  async flush(): Promise<void> {
    await Promise.allSettled([...this.#flush].map((flush) => flush()))
  }

  #touched(): void {
    this.#active = Date.now()
    const minutes = this.me?.idle_minutes
    if (minutes) this.locksAt = Math.min(this.#active + minutes * 60_000, this.current?.ends_at ?? Infinity)
  }

  #out(): void {
    useToken('')
    this.state = 'out'
    this.current = undefined
    this.me = undefined
    this.#forgetDemo()
    this.locksAt = Infinity
  }

  #forgetDemo(): void {
    this.demo = undefined
    sessionStorage.removeItem(DEMO)
  }

  #ended(problem: Problem): void {
    if (problem.code === 'signed-out') {
      this.lost = this.state === 'full'
      this.#out()
    } else if (problem.code === 'session-locked') this.state = 'locked'
    else if (problem.code === 'second-factor') this.state = 'waiting'
    else if (problem.code === 'factor-needed') this.state = 'factor-needed'
  }

  #askStepUp(): Promise<boolean> {
    this.stepUp?.done(false)
    return new Promise((resolve) => {
      this.stepUp = {
        done: (shown) => {
          this.stepUp = undefined
          resolve(shown)
        },
      }
    })
  }

  async #renew(): Promise<boolean> {
    const before = this.current?.token
    await this.begin()
    return this.current !== undefined && this.current.token !== before
  }

  async #follow(what: string): Promise<void> {
    if (what === 'out') this.#out()
    else if (what === 'locked' && this.state === 'full') this.state = 'locked'
    else await this.begin()
  }
}

export const session = new Session()
