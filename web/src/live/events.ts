// The live line: one tab of a browser reads it and tells the others, since browsers have few
// connections to a server. Who listens is told what has changed, and reads it again.
import type { News, NewsKind } from '../api/kinds'

type Listener<K extends NewsKind> = (news: News[K]) => void
interface Told {
  id?: string
  kind: NewsKind
  news: News[NewsKind]
}

const KINDS: readonly string[] = ['job', 'stream', 'release', 'inbox', 'session', 'resync']
const LOCK = 'moretta-events'

const listeners = new Map<NewsKind, Set<Listener<NewsKind>>>()
let last: string | undefined
let running: AbortController | undefined
let channel: BroadcastChannel | undefined

/** Has a function called at each event of a kind; gives what ends that. */
export function listen<K extends NewsKind>(kind: K, listener: Listener<K>): () => void {
  const all = listeners.get(kind) ?? new Set()
  listeners.set(kind, all)
  all.add(listener as Listener<NewsKind>)
  return () => all.delete(listener as Listener<NewsKind>)
}

function tell({ id, kind, news }: Told): void {
  if (id) last = id
  for (const listener of listeners.get(kind) ?? []) listener(news as never)
}

/** Begins to listen, or to wait for the place of the tab that does. */
export function begin(): void {
  if (running) return
  const controller = new AbortController()
  running = controller
  channel = new BroadcastChannel(LOCK)
  channel.onmessage = (message: MessageEvent<Told>) => tell(message.data)
  navigator.locks
    .request(LOCK, { signal: controller.signal }, () => lead(controller.signal))
    .catch(() => undefined)
}

/** Ends, so that another tab takes the place. */
export function end(): void {
  running?.abort()
  running = undefined
  channel?.close()
  channel = undefined
  last = undefined
}

async function lead(signal: AbortSignal): Promise<void> {
  let pause = 1000
  // Between two readers something may have been missed: who has no number reads all again.
  if (last === undefined) publish({ kind: 'resync', news: {} })
  while (!signal.aborted) {
    try {
      const headers: HeadersInit = last ? { 'last-event-id': last } : {}
      const response = await fetch('/api/v1/events', { headers, signal, cache: 'no-store' })
      if (response.status === 401 || response.status === 403) {
        publish({ kind: 'session', news: { locks_in: 0 } })
        return
      }
      if (response.ok && response.body) {
        pause = 1000
        await read(response.body)
      }
    } catch {
      if (signal.aborted) return
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    pause = Math.min(pause * 2, 15_000)
  }
}

function publish(told: Told): void {
  channel?.postMessage(told)
  tell(told)
}

async function read(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) parse(block)
  }
}

function parse(block: string): void {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const [kind, data] = [field('event'), field('data')]
  if (!kind || !data || !KINDS.includes(kind)) return
  publish({ id: field('id'), kind: kind as NewsKind, news: JSON.parse(data) as News[NewsKind] })
}
