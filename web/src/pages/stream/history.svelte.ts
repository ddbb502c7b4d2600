import { get } from '../../api/client'
import type { Over } from '../../api/kinds'
import { Problem } from '../../api/problem'
import { listen } from '../../live/events'
import type { At, Figures } from './series'

export const RANGES = [
  { id: '15min', label: '15 min', length: 15 * 60_000, again: 5000 },
  { id: '6h', label: '6 h', length: 6 * 3_600_000, again: 60_000 },
  { id: '7d', label: '7 days', length: 7 * 86_400_000, again: 300_000 },
] as const
export type Range = (typeof RANGES)[number]

/**
 * Figures of a stream: those of this second by the live line, and those over time, read on while
 * they come. Made while a component is set up.
 */
export class History {
  points: At[] = $state.raw([])
  marks: Over['marks'] = $state.raw([])
  /** Figures of this second. */
  now: Figures | undefined = $state.raw()
  /** When they came. */
  at = $state(Date.now())
  /** Since when nothing moves. */
  paused: number | undefined = $state()
  loading = $state(true)
  problem: Problem | undefined = $state.raw()
  #path: { project: string; stream: string }
  #range: () => Range
  #asked = 0
  #readAt = 0

  constructor(path: { project: string; stream: string }, range: () => Range) {
    this.#path = path
    this.#range = range
    $effect(() => {
      range()
      void this.load()
      const news = listen('stream', (news) => {
        if (news.id === path.stream) this.#hear(news.figures as Figures)
      })
      const resync = listen('resync', () => void this.load(true))
      return () => {
        news()
        resync()
      }
    })
  }

  /** Stops all that moves, or goes on. */
  pause(): void {
    this.paused = this.paused === undefined ? Date.now() : undefined
    if (this.paused === undefined) void this.load()
  }

  /** Reads the whole range. */
  async load(background = false): Promise<void> {
    await this.#read(Date.now() - this.#range().length, background, [])
  }

  #hear(figures: Figures): void {
    if (this.paused !== undefined) return
    this.now = figures
    this.at = Date.now()
    const range = this.#range()
    if (this.at - this.#readAt < range.again) return
    const last = this.points.at(-1)
    // Points of a long range stand for those around them: all are chosen anew.
    if (range.id === '15min' && last) void this.#read(last.at, true, this.points)
    else void this.load(true)
  }

  async #read(from: number, background: boolean, before: At[]): Promise<void> {
    const asked = ++this.#asked
    this.#readAt = Date.now()
    try {
      const over = await get('/projects/{project}/streams/{stream}/figures', { path: this.#path, query: { from }, background })
      if (asked !== this.#asked) return
      const first = Date.now() - this.#range().length
      this.points = [...before.filter((point) => point.at > first), ...over.points]
      const earlier = before.length ? this.marks.filter((mark) => mark.at > first && mark.at <= from) : []
      this.marks = [...earlier, ...over.marks]
      this.problem = undefined
    } catch (thrown) {
      if (asked === this.#asked) this.problem = Problem.from(thrown)
    }
    this.loading = false
  }
}
