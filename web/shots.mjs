import { chromium } from '@playwright/test'
import fs from 'node:fs'
const base='http://127.0.0.1:8460'
const links=Object.fromEntries([...fs.readFileSync('/tmp/demo.log','utf8').matchAll(/^(\w+): .*\n\s+http\S+#demo=(\w+)/gm)].map(m=>[m[1],m[2]]))
const browser=await chromium.launch({executablePath:'/usr/bin/chromium',args:['--headless=new','--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync']})
const want=process.argv.slice(2)
const jobs=[['out','signin','/'],['officer','inbox','/inbox'],['steward','home','/'],['officer','project','P0'],['operator','project-shop','/'],['steward','account','/account'],['officer','404','/nothing/here'],['officer','lock','LOCK'],['officer','search','SEARCH']]
fs.mkdirSync('/tmp/shots',{recursive:true})
for(const [who,name,to] of jobs){ if(want.length&&!want.includes(name)) continue
 for(const theme of ['light','dark']) for(const w of [360,1280]){
  const c=await browser.newContext({viewport:{width:w,height:w<500?760:860},colorScheme:theme,reducedMotion:'reduce'}); const p=await c.newPage()
  const msgs=[]; p.on('console',m=>{if(['error','warning'].includes(m.type()))msgs.push(m.text())}); p.on('pageerror',e=>msgs.push('PAGEERROR '+e.message))
  if(who==='out') await p.goto(base+to); else {
   await p.goto(base+'/#demo='+links[who]); await p.waitForSelector('main h1:not(:text("Demonstration"))')
   if(to==='P0'){ await p.goto(base+'/'); await p.waitForTimeout(300); const me=await p.evaluate(()=>fetch('/api/v1/me').then(r=>r.json())); await p.goto(base+'/projects/'+me.projects[0].project)}
   else if(to==='LOCK'){ await p.getByRole('button',{name:'Lock'}).click(); await p.waitForSelector('text=Unlock')}
   else if(to==='SEARCH'){ await p.keyboard.press('/'); await p.waitForSelector('dialog')}
   else if(to!=='/') { await p.goto(base+to) }
  }
  await p.waitForTimeout(900)
  const over=await p.evaluate(()=>document.documentElement.scrollWidth-innerWidth)
  await p.screenshot({path:`/tmp/shots/${name}-${theme}-${w}.png`,fullPage:true})
  console.log(name,theme,w,'overflow',over,msgs.join(' | ').slice(0,400))
  await c.close()
 }}
await browser.close()
