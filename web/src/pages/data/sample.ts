// Admissions to a hospital that does not exist, made by the browser: the same rows each time. No
// person, place or figure is real.

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const FIRST = ['Ma', 'Lo', 'Te', 'Ri', 'Su', 'Ka', 'Ne', 'Bo', 'Ali', 'Va', 'Do', 'Mi']
const LAST = ['ra', 'lin', 'do', 'vel', 'na', 'mir', 'sa', 'to', 'rik', 'len', 'gor', 'sen']
const TOWNS: [string, number][] = [['301', 30], ['302', 22], ['304', 16], ['317', 14], ['318', 11], ['345', 7]]
const EDUCATION: [string, number][] = [['none', 3], ['primary', 12], ['lower secondary', 20], ['upper secondary', 38], ['bachelor', 17], ['master', 10]]
/** Diagnosis, weight, ward, and the middle of its costs. */
const DIAGNOSES: [string, number, string, number][] = [
  ['pneumonia', 18, 'medicine', 6200],
  ['heart failure', 16, 'cardiology', 8900],
  ['heart attack', 9, 'cardiology', 14_500],
  ['stroke', 10, 'neurology', 13_200],
  ['hip fracture', 10, 'orthopaedics', 17_800],
  ['arm fracture', 9, 'orthopaedics', 3900],
  ['gallstones', 8, 'surgery', 6800],
  ['asthma', 6, 'medicine', 2900],
  ['diabetes', 9, 'medicine', 4100],
  ['depression', 5, 'medicine', 5600],
]

function weighted<T extends [string, number, ...unknown[]]>(list: T[], share: number): T {
  let left = share * list.reduce((sum, [, weight]) => sum + weight, 0)
  return list.find(([, weight]) => (left -= weight) < 0) ?? (list[0] as T)
}

/** A table of `rows` admissions, about 1.3 of each person. */
export function madeUpAdmissions(rows = 2000, seed = 7): File {
  const next = random(seed)
  const below = (end: number) => Math.floor(next() * end)
  const pick = (list: string[]) => list[below(list.length)] ?? ''
  const persons: string[][] = []
  const lines = ['name,patient,age,sex,zip,education,admission,ward,diagnosis,cost']
  for (let row = 0; row < rows; row++) {
    const isNew = persons.length === 0 || next() < 0.769
    if (isNew) {
      const number = `P${String(persons.length + 1).padStart(7, '0')}`
      const name = `${pick(FIRST)}${pick(LAST)} ${pick(FIRST)}${pick(LAST)}${pick(LAST)}`
      const age = next() < 0.5 ? 60 + below(36) : 18 + below(42)
      const code = below(10)
      const zip = `${weighted(TOWNS, next())[0]}${String(Math.floor((code * code) / 10) * 7).padStart(2, '0')}`
      persons.push([name, number, String(age), next() < 0.52 ? 'f' : 'm', zip, next() < 0.02 ? '' : weighted(EDUCATION, next())[0]])
    }
    const person = persons[isNew ? persons.length - 1 : below(persons.length)] ?? []
    const [diagnosis, , own, middle] = weighted(DIAGNOSES, next())
    const day = new Date(Date.UTC(2023, 0, 1 + below(731))).toISOString().slice(0, 10)
    const ward = next() < 0.15 ? 'emergency' : own
    const cost = (middle * Math.exp((next() + next() + next() - 1.5) * 0.8)).toFixed(2)
    lines.push([...person, day, ward, diagnosis, cost].join(','))
  }
  return new File([`${lines.join('\n')}\n`], 'admissions.csv', { type: 'text/csv' })
}
