// States of requests, releases, users and projects, as people read them.

const LOOKS: Record<string, string> = {
  published: 'good',
  approved: 'good',
  active: 'good',
  ready: 'warn',
  invited: 'warn',
  draft: 'bad',
  refused: 'bad',
  revoked: 'bad',
  disabled: 'bad',
}
const WORDS: Record<string, string> = {
  draft: 'run failed',
  running: 'is being made',
  ready: 'waits for an officer',
  approved: 'approved, being published',
  revoked: 'taken back',
  expired: 'ended',
  withdrawn: 'withdrawn',
}

/** The class of a tag. */
export const lookOf = (state: string): string | undefined => LOOKS[state]
export const sayState = (state: string): string => WORDS[state] ?? state
