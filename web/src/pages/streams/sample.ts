// A policy to begin with, for made-up visits to a shop.
export const SAMPLE = {
  name: 'visits',
  content: `version = 1
name = "visits"

[columns]
t = { role = "time", unit = "s" }
user = { role = "subject", action = "keep" }
page = { role = "quasi", hierarchy = { path = "/" } }

[[protect]]
method = "z-anonymity"
z = 5
window = "10m"
tune = { goal = 0.8, every = "1m", at_least = 3 }
`,
}
