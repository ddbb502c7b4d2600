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
    path: '/projects/:project/data',
    title: 'Data',
    rights: ['data.profile'],
    step: 1,
    load: () => import('./data/Page.svelte'),
  },
  {
    path: '/projects/:project/hierarchies',
    title: 'Hierarchies',
    rights: ['policies.read'],
    step: 2,
    load: () => import('./hierarchies/Page.svelte'),
  },
  {
    path: '/projects/:project/raw',
    title: 'Raw rows',
    rights: ['data.raw'],
    menu: 'project',
    load: () => import('./raw/Page.svelte'),
  },
  {
    path: '/projects/:project/protect',
    title: 'Protect',
    rights: ['policies.read'],
    step: 3,
    load: () => import('./protect/Page.svelte'),
  },
  {
    path: '/projects/:project/explore',
    title: 'Explore',
    rights: ['jobs.run'],
    step: 4,
    load: () => import('./explore/Page.svelte'),
  },
  {
    path: '/projects/:project/check',
    title: 'Check',
    rights: ['jobs.attack', 'jobs.verify'],
    step: 5,
    load: () => import('./check/Page.svelte'),
  },
  {
    path: '/projects/:project/learn',
    title: 'Learn',
    rights: ['jobs.run'],
    menu: 'project',
    load: () => import('./learn/Page.svelte'),
  },
  {
    path: '/projects/:project/requests',
    title: 'Request',
    rights: ['releases.ask', 'releases.review'],
    step: 6,
    load: () => import('./requests/Page.svelte'),
  },
  {
    path: '/projects/:project/requests/:request',
    title: 'Review',
    rights: ['releases.review'],
    load: () => import('./review/Page.svelte'),
  },
  {
    path: '/projects/:project/releases',
    title: 'Releases',
    rights: ['releases.list'],
    menu: 'project',
    load: () => import('./releases/Page.svelte'),
  },
  {
    path: '/projects/:project/releases/:release',
    title: 'Release',
    rights: ['releases.list'],
    load: () => import('./release/Page.svelte'),
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
    path: '/projects/:project/ledger',
    title: 'Ledger',
    rights: ['ledger.read'],
    menu: 'project',
    load: () => import('./ledger/Page.svelte'),
  },
  {
    path: '/projects/:project/audit',
    title: 'Audit',
    rights: ['audit.read'],
    menu: 'project',
    load: () => import('./audit/Page.svelte'),
  },
  {
    path: '/projects/:project/members',
    title: 'Members',
    rights: ['members.list'],
    menu: 'project',
    load: () => import('./members/Page.svelte'),
  },
  {
    path: '/projects/:project/rules',
    title: 'Rules',
    rights: ['rules.read'],
    menu: 'project',
    load: () => import('./rules/Page.svelte'),
  },
  {
    path: '/audit',
    title: 'Audit of the server',
    rights: ['audit.all', 'audit.admin'],
    menu: 'server',
    load: () => import('./whole-audit/Page.svelte'),
  },
  {
    path: '/admin',
    title: 'Admin',
    rights: ['users.list'],
    menu: 'server',
    load: () => import('./admin/Page.svelte'),
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
