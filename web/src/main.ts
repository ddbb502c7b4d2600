import '../../crates/moretta-report/src/tokens.css'
import './style/base.css'
import { mount } from 'svelte'
import App from './App.svelte'
import { applyTheme, storedTheme } from './style/theme'

applyTheme(storedTheme())
const target = document.getElementById('app')
if (target) mount(App, { target })
