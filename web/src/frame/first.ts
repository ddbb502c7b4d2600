// Where somebody begins, by what they do.
import type { Me } from '../api/kinds'
import { pageAt } from '../pages/list'
import { address } from '../router/router.svelte'

/** First pages by role, as far as there are such pages. */
const FIRST: Record<string, string> = {
  officer: '/inbox',
  steward: '/projects/:project',
  analyst: '/projects/:project/releases',
  operator: '/projects/:project/streams',
  auditor: '/projects/:project/audit',
}

export function firstPage(me: Me): string {
  if (me.admin && pageAt('/admin')) return '/admin'
  if (me.auditor && pageAt('/audit')) return '/audit'
  const [membership] = me.projects
  if (!membership) return '/inbox'
  const wanted = FIRST[membership.role] ?? ''
  const path = pageAt(wanted) ? wanted : '/projects/:project'
  return address(path, { project: membership.project })
}
