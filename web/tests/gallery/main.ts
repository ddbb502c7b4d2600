import '../../../crates/moretta-report/src/tokens.css'
import '../../src/style/base.css'
import { mount } from 'svelte'
import Gallery from './Gallery.svelte'

const target = document.getElementById('app')
if (target) mount(Gallery, { target })
