// A stream whose figures are made up, so that its pictures stay the same.
import { AT, type Answers } from './fixed.ts'

const ID = '7f000000000000000000000000000001'
const WHO = '7f000000000000000000000000000002'
const MINUTE = 60_000
const goal = 0.8

/** Numbers that look random and are the same each time. */
function dice(): () => number {
  let state = 20_260_512
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const roll = dice()
let z = 19
const points = Array.from({ length: 89 }, (_, place) => {
  const wave = Math.sin(place / 9)
  if (place % 6 === 0) z = Math.round(20 + 3 * wave + 2 * roll())
  const p = 0.83 + 0.05 * wave + 0.03 * (roll() - 0.5)
  const taken = Math.round(21_000 + 1500 * wave + 900 * roll())
  const suppressed = 0.15 + 0.02 * roll() - 0.01 * wave
  const released = Math.round(taken * (1 - suppressed))
  const levels = [0.46 + 0.03 * wave, 0.34 - 0.02 * wave].map((share) => Math.round(released * share))
  const [low = 0, high = 0] = levels
  return {
    at: AT - 15 * MINUTE + (place + 1) * 10_000,
    figures: {
      length: 10_000,
      taken,
      released,
      suppressed,
      levels: [low, high, released - low - high],
      z,
      p,
      goal,
      window: 1,
      unique: 0.04 + 0.02 * roll(),
      delay_median: Math.round(12 + 8 * roll()),
      delay_99: Math.round(38 + 30 * roll()),
      lag: Math.round(4000 * roll()),
      measures: [],
    },
  }
})

const stream = {
  id: ID,
  name: 'shop-visits',
  policy: WHO,
  policy_name: 'visits',
  policy_version: WHO,
  policy_number: 3,
  level: 2,
  wanted: 'running',
  state: 'running',
  since: AT - (3 * 24 * 60 + 4 * 60 + 11) * MINUTE,
  problem: null,
  decision: 'approved',
  reason: 'the window is long enough',
  decided_by: WHO,
  decided_at: AT - 4 * 24 * 60 * MINUTE,
  accepted: 48_211_204_112,
  taken: 581_902_331,
  released: 489_961_762,
  made_at: AT - 5 * 24 * 60 * MINUTE,
  made_by: WHO,
  version: 4,
}
const rest = { ...stream, id: WHO, name: 'till-sales', state: 'stopped', wanted: 'stopped', since: null, taken: 1_204_558, released: 1_004_119, policy_name: 'sales', policy_number: 1 }
const now = { ...points.at(-1)?.figures, taken: null, released: null, suppressed: null, levels: [] }

export const ADDRESS = ID
export const STREAM: Answers = {
  '/streams': { items: [stream, rest], next: null },
  [`/streams/${ID}`]: stream,
  '/figures': { points, marks: [{ at: AT - 6.4 * MINUTE, what: 'killed' }] },
  '/events': [{ kind: 'stream', body: { id: ID, at: AT, figures: now } }],
  [`/policies/${WHO}/versions/${WHO}`]: {
    id: WHO,
    text: WHO,
    name: 'visits',
    number: 3,
    content: '[columns]\nt = { role = "time", unit = "s" }\nuser = { role = "subject", action = "keep" }\npage = { role = "quasi", hierarchy = { path = "/" } }\n\n[[protect]]\nmethod = "z-anonymity"\nwindow = "30m"\ntune = { goal = 0.8, every = "1m" }\n',
    sha256: '',
    author: WHO,
    based_on: null,
    uses: {},
    at: AT,
  },
  '/bundle': { command: 'moretta run policy.toml', files: [], needs: [] },
}
