// Takes the pictures of pages anew, makes them small, and copies those that the manual shows. The
// program is that of MORETTA_PROGRAM.
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { small } from './png.js'

const place = (path) => fileURLToPath(new URL(path, import.meta.url))
const [pictures, images] = [place('../tests/pictures/'), place('../../docs/src/images/')]
const list = readFileSync(`${pictures}list.ts`, 'utf8')
const entries = [...list.matchAll(/^ {2}\{ name: '([\w-]+)'.*/gm)]
const names = entries.map(([, name]) => `${name}.png`)

const taken = spawnSync('npx', ['playwright', 'test', '-c', 'tests/playwright.config.ts', 'pictures', '-g', 'the picture of', '--update-snapshots=all'], { cwd: place('..'), stdio: 'inherit' })
if (taken.status !== 0) process.exit(taken.status ?? 1)
for (const name of names) writeFileSync(pictures + name, small(readFileSync(pictures + name)))
for (const file of readdirSync(pictures)) if (file.endsWith('.png') && !names.includes(file)) rmSync(pictures + file)
for (const file of readdirSync(images)) if (file.startsWith('web-')) rmSync(images + file)
for (const [line, name] of entries) if (line.includes('shown: true')) copyFileSync(`${pictures}${name}.png`, `${images}web-${name}.png`)
