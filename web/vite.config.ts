import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig, type Plugin } from 'vite'

const root = import.meta.dirname
/** What the built files follow from; a test of the server reads the same, in the same order. */
const SOURCES = [
  '../crates/moretta-report/src/tokens.css',
  'index.html',
  'package-lock.json',
  'package.json',
  'public',
  'src',
  'tsconfig.json',
  'vite.config.ts',
]

/** The colours of reports follow the system; here a switch can decide, too. */
function themes(): Plugin {
  return {
    name: 'themes',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/tokens.css')) return null
      const [, light, dark] = /^:root \{([^}]*)\}\s*@media[^{]*\{\s*:root \{([^}]*)\}\s*\}\s*$/.exec(code) ?? []
      if (!light || !dark) throw new Error('tokens.css is not a set of colours and one for the dark')
      return `:root { color-scheme: light; ${light} }
        @media screen and (prefers-color-scheme: dark) { :root:not([data-theme='light']) { color-scheme: dark; ${dark} } }
        @media screen { :root[data-theme='dark'] { color-scheme: dark; ${dark} } }`
    },
  }
}

/** Writes the addresses of pages, which the server answers, and the sum of what all this is made from. */
function told(): Plugin {
  return {
    name: 'told',
    apply: 'build',
    generateBundle(_, bundle) {
      const list = readFileSync(join(root, 'src/pages/list.ts'), 'utf8')
      const paths = [...list.matchAll(/^\s*path: '([^']+)'/gm)].map((found) => found[1])
      this.emitFile({ type: 'asset', fileName: 'pages.list', source: paths.join('\n') + '\n' })
      this.emitFile({ type: 'asset', fileName: 'source.sha256', source: sum() + '\n' })
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: licences(modules) })
    },
  }
}

/** The licences of what others have written and the pages contain. */
function licences(modules: string[]): string {
  const names = modules.map((id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1])
  const packages = [...new Set(names.filter((name) => name !== undefined))].sort()
  const texts = packages.map((name) => {
    const folder = join(root, 'node_modules', name)
    const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
    if (!file) throw new Error(`${name} has no licence`)
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return texts.join('\n\n')
}

function sum(): string {
  const hash = createHash('sha256')
  for (const name of SOURCES.flatMap(files)) {
    const content = readFileSync(join(root, name))
    hash.update(`${name}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

function files(name: string): string[] {
  if (!statSync(join(root, name)).isDirectory()) return [name]
  const within = readdirSync(join(root, name)).sort()
  return within.flatMap((inner) => files(`${name}/${inner}`))
}

/** The name of a page's folder, so that each page is one file with a name that says what it is. */
function chunkName(chunk: { name: string; facadeModuleId?: string | null }): string {
  const page = /\/src\/pages\/([^/]+)\/Page\.svelte$/.exec(chunk.facadeModuleId ?? '')
  return page ? `page-${page[1]}.js` : `${chunk.name}.js`
}

export default defineConfig({
  root,
  plugins: [themes(), svelte(), told()],
  server: {
    proxy: { '/api': { target: process.env['MORETTA'] ?? 'http://127.0.0.1:8440', changeOrigin: true } },
    fs: { allow: ['..'] },
  },
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: 'app.js',
        chunkFileNames: chunkName,
        assetFileNames: '[name][extname]',
      },
    },
  },
})
