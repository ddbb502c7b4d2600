// Addresses and pages: the history of the browser, nothing else.
import type { Page } from '../pages/list'

/** The named parts of an address, such as `project`. */
export type Parts = Record<string, string>

class Router {
  path = $state(location.pathname)
  query = $state(new URLSearchParams(location.search))
  /** Counts moves, so that a page can tell that one was made to where it is. */
  moves = $state(0)

  constructor() {
    addEventListener('popstate', () => this.#read())
    addEventListener('click', (event) => this.#click(event))
  }

  /** Goes to an address of the app. */
  go(to: string, replace = false): void {
    if (replace) history.replaceState(null, '', to)
    else history.pushState(null, '', to)
    this.#read()
    if (!replace) scrollTo(0, 0)
  }

  /** Notes something in the query without a new step in the history, such as a filter. */
  note(name: string, value: string | undefined): void {
    const query = new URLSearchParams(this.query)
    if (value) query.set(name, value)
    else query.delete(name)
    const text = query.toString()
    history.replaceState(null, '', `${this.path}${text ? `?${text}` : ''}`)
    this.query = query
  }

  #read(): void {
    this.path = location.pathname
    this.query = new URLSearchParams(location.search)
    this.moves += 1
  }

  /** Links inside of the app move without loading it again. */
  #click(event: MouseEvent): void {
    const link = (event.target as Element | null)?.closest?.('a')
    if (!link || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if (link.origin !== location.origin || link.target || link.hasAttribute('download')) return
    if (link.pathname.startsWith('/api/') || link.getAttribute('href')?.startsWith('#')) return
    event.preventDefault()
    this.go(link.pathname + link.search)
  }
}

export const router = new Router()

/** The page at an address and its named parts. */
export function match(pages: readonly Page[], path: string): { page: Page; parts: Parts } | undefined {
  for (const page of pages) {
    const parts = partsOf(page.path, path)
    if (parts) return { page, parts }
  }
  return undefined
}

function partsOf(pattern: string, path: string): Parts | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const parts: Parts = {}
  for (const [place, text] of wanted.entries()) {
    const part = given[place] ?? ''
    if (text.startsWith(':') && part) parts[text.slice(1)] = decodeURIComponent(part)
    else if (text !== part) return undefined
  }
  return parts
}

/** The address of a page with its parts put in. */
export function address(pattern: string, parts: Parts = {}): string {
  return pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''))
}
