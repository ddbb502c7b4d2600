// A change of a policy that one page hands to the page that edits it, where it can be undone.

type Change = (text: string) => string

const waiting = new Map<string, [string, Change][]>()

export const handover = {
  /** `what` says what was changed. */
  give(policy: string, what: string, change: Change): void {
    waiting.set(policy, [...(waiting.get(policy) ?? []), [what, change]])
  },
  take(policy: string): [string, Change][] {
    const all = waiting.get(policy) ?? []
    waiting.delete(policy)
    return all
  },
}
