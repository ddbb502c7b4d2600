// What an administrator does to a user, each after a question that says what follows.
import { del, post } from '../../api/client'
import { toast } from '../../parts/toast.svelte'
import { session } from '../../session/session.svelte'
import { plural } from '../../words/format'
import { nameOf, type User } from './people'

export interface Act {
  /** What the button says. */
  act: string
  title: string
  text: string
  /** A reason is asked for under this name. */
  reason?: string
  danger?: boolean
  go: (reason: string) => Promise<void>
}

export interface Handed {
  name: string
  link: string
  ends_at: number
  wish?: string | null
}

/** The acts that make sense on a user as they are now; nobody does them to their own account. */
export function actsOf(user: User, onhanded: (handed: Handed) => void): Act[] {
  if (user.state === 'deleted' || user.id === session.me?.id) return []
  const [path, name] = [{ user: user.id }, nameOf(user)]
  const enable = async () => {
    await post('/users/{user}/enable', undefined, { path })
    toast(`${name} may sign in again`)
  }
  const acts: Record<string, Act> = {
    link: {
      act: 'Make a link',
      title: `A link for ${name}`,
      text: 'By it they choose a password. A link that was made before ends; a second factor stays.',
      reason: 'Why they need one',
      go: async (reason) => onhanded({ name, ...(await post('/users/{user}/link', { reason }, { path })) }),
    },
    sessions: {
      act: 'End all sessions',
      title: `End all sessions of ${name}`,
      text: 'They are signed out everywhere at once, and can sign in again.',
      go: async () => toast(`${plural((await del('/users/{user}/sessions', undefined, { path })).sessions, 'session')} ended`),
    },
    factor: {
      act: 'Remove the second factor',
      title: `Remove the second factor of ${name}`,
      text: 'They set up another one. Of who reads raw data, approves or administers, a second administrator has to grant it.',
      reason: 'Why',
      go: async (reason) => {
        const { state } = await post('/users/{user}/factor-removal', { reason }, { path })
        toast(state === 'waiting' ? 'It waits for another administrator' : 'The second factor was removed')
      },
    },
    disable: {
      act: 'Disable',
      title: `Disable ${name}`,
      text: 'Sessions, downloads and links end at once. Memberships stay, and can be used again when the user is enabled.',
      danger: true,
      go: async () => {
        await post('/users/{user}/disable', undefined, { path })
        toast(`${name} is disabled`)
      },
    },
    enable: { act: 'Enable', title: `Enable ${name}`, text: 'They may sign in again, with the memberships that they had.', go: enable },
    remove: {
      act: 'Delete',
      title: `Delete ${name}`,
      text: 'Name, password and memberships are gone, which cannot be undone. What they did stays in the log under their number.',
      danger: true,
      go: async () => {
        await del('/users/{user}', undefined, { path })
        toast('Deleted')
      },
    },
  }
  const wanted = user.state === 'disabled' ? ['enable', 'remove'] : ['link', ...(user.state === 'active' ? ['sessions'] : []), ...(user.has_factor ? ['factor'] : []), 'disable', 'remove']
  return wanted.flatMap((one) => acts[one] ?? [])
}
