import { mergeConfig } from 'vite'
import web from '../../vite.config.ts'

/** The parts by themselves, built as the app is. */
export default mergeConfig(
  { ...web, plugins: web.plugins?.filter((plugin) => !(plugin && 'name' in plugin && plugin.name === 'told')) },
  { root: import.meta.dirname, base: './', publicDir: false, logLevel: 'warn' },
)
