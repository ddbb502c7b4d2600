// The pages of the app. A page is one entry here and a folder with `Page.svelte`, which gets the named
// parts of its address as properties. What is not in this list is not linked and not built.
import type { Component } from 'svelte'

/** A page. */
export interface Page {
  /** Its address; `:name` is a part that the page gets. The server answers these addresses. */
  path: string
  /** What the menu and the title of the window call it. */
  title: string
  /** One of these rights is needed for it, in the project where the address has one. */
  rights: readonly string[]
  /** Where it is linked: in the menu of the server, that of a project, as a step, or nowhere. */
  menu?: 'server' | 'project'
  /** Its place among the steps of a project: Data, Hierarchies, Protect, Explore, Check, Request. */
  step?: number
  load: () => Promise<{ default: Component<any> }>
}

export const pages: readonly Page[] = [
  {
    path: '/inbox',
    title: 'Inbox',
    rights: ['signed'],
    menu: 'server',
    load: () => import('./inbox/Page.svelte'),
  },
  {
    path: '/account',
    title: 'Your account',
    rights: ['me'],
    load: () => import('./account/Page.svelte'),
  },
  {
    path: '/projects/:project',
    title: 'Overview',
    rights: ['signed'],
    menu: 'project',
    load: () => import('./project/Page.svelte'),
  },
  {
    path: '/projects/:project/streams',
    title: 'Streams',
    rights: ['streams.read', 'streams.rows'],
    menu: 'project',
    load: () => import('./streams/Page.svelte'),
  },
  {
    path: '/projects/:project/streams/:stream',
    title: 'Stream',
    rights: ['streams.read', 'streams.rows'],
    load: () => import('./stream/Page.svelte'),
  },
  {
    // The first page of whoever is signed in; the app goes on from there.
    path: '/',
    title: 'moretta',
    rights: ['signed'],
    load: () => import('./home/Page.svelte'),
  },
]

/** The page that has this address, where there is one yet. */
export function pageAt(path: string): Page | undefined {
  return pages.find((page) => page.path === path)
}
