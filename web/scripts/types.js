// Writes what src/api has from the server's OpenAPI; with --check, fails when it is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

const source = JSON.parse(readFileSync(new URL('../../crates/moretta-server/openapi.json', import.meta.url), 'utf8'))
const head = '// Made from crates/moretta-server/openapi.json by `npm run types`.\n'
const operations = Object.values(source.paths).flatMap((path) => Object.values(path))
const rights = operations.map((operation) => operation['x-right']).filter((right) => right?.token)
const names = [...new Set(rights.map((right) => right.name))].sort()

const made = {
  'schema.ts': head + astToString(await openapiTS(source)),
  'token-rights.ts': `${head}\n/** Rights that a token of a person can have. */\nexport const TOKEN_RIGHTS: readonly string[] = ${JSON.stringify(names, null, 2).replaceAll('"', "'").replace(/'\n]/, "',\n]")}\n`,
}
for (const [name, text] of Object.entries(made)) {
  const target = new URL(`../src/api/${name}`, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (readFileSync(target, 'utf8') !== text) {
    console.error(`src/api/${name} is stale: run \`npm run types\``)
    process.exitCode = 1
  }
}
